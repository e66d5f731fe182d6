/** Ends the run of a collection whose rows people have to look up first. It is not a failure. */
export class InputNeeded extends Error {
  readonly address: string
  /** Id of the manual input that waits for these people. */
  readonly input: string

  constructor(address: string, input: string) {
    super(`'${address}' waits for rows that people look up.`)
    this.address = address
    this.input = input
  }
}
