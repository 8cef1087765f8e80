/** English words that say nothing of what is looked for. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any are aren as at be because been before
  being below between both but by can cannot could couldn d did didn do does doesn doing don down
  during each few for from further had hadn has hasn have haven having he her here hers herself him
  himself his how however i if in into is isn it its itself just ll m may me might mine more most
  must my myself no nor not now of off on once only onto or other our ours ourselves out over own
  please re s same shall she should shouldn so some such t than that the their theirs them themselves
  then there these they this those through to too under until up upon us ve very via was wasn we were
  weren what when where whether which while who whom whose why will with within without won would
  wouldn yet you your yours yourself yourselves
  able hello help hey hi know let lets like need thank thanks want wants needs needed wanted
  tell gonna wanna im ive id kindly`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** Whether a folded word says nothing of what is looked for; the verbs of tools' names are none. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** The same for what people write down for later, where one of them is a month. */
export function isStopWordOfMemories(word: string): boolean {
  return word !== 'may' && STOP_WORDS.has(word);
}
