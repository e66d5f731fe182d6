/** One bad place in outside data: its path, what is wrong with it, and a word for programs. */
export interface Issue {
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly type: string
  /** Where it stands in the text that was read, from 1, and in which file where several were. */
  readonly file?: string
  readonly line?: number
  readonly column?: number
}

/** The details of each code besides its message. Never a secret, never a value of a row or an identity. */
export interface ErrorDetails {
  /** The caller's data does not fit; `issues` names every bad place. */
  readonly invalid_input: { readonly issues: readonly Issue[] }
  readonly unauthenticated: { readonly reason?: string }
  readonly token_expired: { readonly reason?: string }
  readonly forbidden: { readonly scope?: string; readonly reason?: string }
  readonly not_found: { readonly kind: string; readonly id: string }
  /**
   * The key is taken, or the resource is still referred to; `referrers` are the keys of the resources that refer to it.
   */
  readonly conflict: { readonly kind: string; readonly id: string; readonly referrers?: readonly string[] }
  /** The status of the resource does not allow the event. */
  readonly invalid_state: { readonly status: string; readonly event: string }
  readonly verification_failed: { readonly reason?: string }
  readonly rate_limited: { readonly retryAfterSeconds?: number }
  /** `reason` is a word for programs, such as `ambiguous_rows`. */
  readonly unsupported: { readonly feature?: string; readonly reason?: string }
  /**
   * `reason` is a word for programs, such as `statement_timeout` or `missing_collection`. With `refused`: the rule of
   * the database that refuses, where it names one. With `shared_since`: the position of the count that found too many
   * rows, and how many too many. `transient` when the same call may succeed later although nobody changes anything.
   */
  readonly connection_failed: {
    readonly connection?: string
    readonly reason?: string
    readonly transient?: true
    readonly constraint?: string
    readonly column?: string
    readonly position?: number
    readonly rows?: number
  }
  readonly gone: { readonly kind?: string; readonly id?: string }
  /**
   * `permanent` when the same attempt would be refused again, such as a mail to an address that does not exist;
   * otherwise it may be tried again. `reason` is a word for programs, such as `timeout` or `authentication`. With `outcome`
   * the call may have been carried out, and only its answer was lost; without it, it was not carried out.
   */
  readonly unavailable: {
    readonly retryAfterSeconds?: number
    readonly permanent?: boolean
    readonly reason?: string
    readonly outcome?: 'unknown'
  }
  /** Thrown at construction, or by every call where only the storage shows it: `option` is the setting to fix. */
  readonly misconfigured: { readonly option: string }
  readonly internal: { readonly [detail: string]: never }
}

export type ErrorCode = keyof ErrorDetails

/** Details come first where the code requires them; `cause` is for logs and never shown to callers over HTTP. */
type Rest<Code extends ErrorCode> =
  Record<never, never> extends ErrorDetails[Code]
    ? [details?: ErrorDetails[Code], options?: ErrorOptions]
    : [details: ErrorDetails[Code], options?: ErrorOptions]

const brand = Symbol.for('@habeas/privacy-error')

/**
 * The one error this library throws on purpose. Recognise it with `isPrivacyError`, not with `instanceof`:
 * two copies of the package may be loaded at once.
 */
export class PrivacyError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code
  readonly details: ErrorDetails[Code]

  /** The message is one sentence: it names the thing, says what to do next, and carries no value. */
  constructor(code: Code, message: string, ...rest: Rest<Code>) {
    const [details, options] = rest
    super(message, options)
    this.code = code
    this.details = details ?? ({} as ErrorDetails[Code])
  }

  /** Any thrown thing as a `PrivacyError`: itself when it is one, else `internal` with the thing as `cause`. */
  static from(thrown: unknown): PrivacyError {
    if (isPrivacyError(thrown)) return thrown
    return new PrivacyError(
      'internal',
      'Something failed inside the service; its log has the cause.',
      {},
      { cause: thrown },
    )
  }

  /** Leaves `cause` and the stack out: both may hold what a driver knew. */
  toJSON(): { code: Code; message: string; details: ErrorDetails[Code] } {
    return { code: this.code, message: this.message, details: this.details }
  }
}

// Bundlers rename a class that names itself, and Node prints that name.
Object.defineProperty(PrivacyError, 'name', { value: 'PrivacyError', configurable: true })
Object.defineProperty(PrivacyError.prototype, 'name', { value: 'PrivacyError', configurable: true, writable: true })
Object.defineProperty(PrivacyError.prototype, brand, { value: true })

/** Whether `error` is a `PrivacyError`, of this code if one is given, whichever copy of the package made it. */
export function isPrivacyError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  code?: Code,
): error is Extract<AnyPrivacyError, { code: Code }> {
  if (typeof error !== 'object' || error === null || !(brand in error)) return false
  return code === undefined || (error as { code?: unknown }).code === code
}

/**
 * Whether the same call may succeed later although nobody changes anything, such as while a server restarts. Everything
 * else needs a decision of a person.
 */
export function isTransient(error: unknown): boolean {
  if (isPrivacyError(error, 'connection_failed')) return error.details.transient === true
  if (isPrivacyError(error, 'unavailable')) return error.details.permanent !== true
  return isPrivacyError(error, 'rate_limited')
}

/** Whether a call may have been carried out although it failed: only its answer was lost. */
export function isOutcomeUnknown(error: unknown): boolean {
  return isPrivacyError(error, 'unavailable') && error.details.outcome === 'unknown'
}

/** A union over the codes, so that a check of `code` narrows `details`. */
type AnyPrivacyError = { [Code in ErrorCode]: PrivacyError<Code> }[ErrorCode]
