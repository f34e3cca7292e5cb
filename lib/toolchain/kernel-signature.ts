/** Place of an explicit argument in the kernarg segment. */
export interface ArgumentPlace {
  offset: number;
  size: number;
}
