/** The block beside a page of `count` items out of `total`, from the offset `from` on. */
export function pagination(total: number, size: number, from: number, count: number) {
  return { total, size, from, has_more: from + count < total };
}
