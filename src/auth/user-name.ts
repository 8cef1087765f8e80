/**
 * What a user may be called, as a pattern of JSON Schema and in words. No colon, since Basic
 * credentials end the name there (RFC 7617, section 2); nothing that a URL's path would end at.
 */
export const USER_NAME = {
  pattern: '^(?!\\.{1,2}$)[^\\s\\p{C}:/?#]{1,64}$',
  description: '1 to 64 characters without white space, invisible ones, colon, slash, ? and #',
};

const PATTERN = new RegExp(USER_NAME.pattern, 'u');

/** Whether a user can have this name. */
export function isUserName(text: string): boolean {
  return PATTERN.test(text);
}
