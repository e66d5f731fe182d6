import { MysqlQueryCompiler } from 'kysely'

/** The type of a parameter, in the form of the REST API. */
export interface ParameterType {
  readonly type: string
  readonly arrayType?: ParameterType
  readonly structTypes?: readonly { readonly name: string; readonly type: ParameterType }[]
}

/** The value of a parameter, in the form of the REST API. A scalar is text; one without a value is NULL. */
export interface ParameterValue {
  readonly value?: string | null
  readonly arrayValues?: readonly ParameterValue[]
  readonly structValues?: { readonly [name: string]: ParameterValue }
}

/** A value beside a statement, with its type. */
export interface Parameter {
  readonly type: ParameterType
  readonly value: ParameterValue
}

export interface NamedParameter {
  readonly name: string
  readonly parameterType: ParameterType
  readonly parameterValue: ParameterValue
}

/** The parameters of a job. Its statements share them, so that each list travels once. */
export interface ParameterNames {
  nameOf(parameter: unknown): string
  all(): NamedParameter[]
}

export function parameterNames(): ParameterNames {
  const names = new Map<unknown, string>()
  return {
    nameOf(parameter) {
      const name = names.get(parameter) ?? `p${names.size}`
      names.set(parameter, name)
      return name
    },
    all: () =>
      [...names].map(([parameter, name]) => {
        const { type, value } = parameter as Parameter
        return { name, parameterType: type, parameterValue: value }
      }),
  }
}

/** GoogleSQL: names in backticks with the escapes of a text, and named parameters. */
export class GoogleSqlCompiler extends MysqlQueryCompiler {
  readonly #names: ParameterNames

  constructor(names: ParameterNames) {
    super()
    this.#names = names
  }

  protected override appendValue(parameter: unknown): void {
    this.append(`@${this.#names.nameOf(parameter)}`)
  }

  protected override sanitizeIdentifier(identifier: string): string {
    return identifier.replace(/[\\`]/g, '\\$&')
  }
}

/** One scalar. */
export function scalar(type: string, value: string | null): Parameter {
  return { type: { type }, value: { value } }
}

/** A list of scalars; its elements are not NULL. */
export function list(type: string, values: readonly string[]): Parameter {
  const arrayValues = values.map((value) => ({ value }))
  return { type: { type: 'ARRAY', arrayType: { type } }, value: { arrayValues } }
}
