import type { ManualUploadState } from '../actions/manual/manual-upload-actions.js'
import type { Page, Paging } from '../actions/paging.js'
import type { CancelOptions } from '../actions/requests/cancellation-actions.js'
import type { DownloadLink } from '../actions/requests/download-link.js'
import type { ExtendOptions } from '../actions/requests/extension-actions.js'
import type { PackageChoice } from '../actions/requests/package-of.js'
import type { RetryOptions, SubmittedRequest } from '../actions/requests/request-actions.js'
import type { RequestCaller } from '../actions/requests/request-context.js'
import type { RequestExportOptions } from '../actions/requests/request-csv.js'
import type { RequestListOptions } from '../actions/requests/request-query.js'
import type { ApproveOptions, DenyOptions } from '../actions/requests/review-actions.js'
import type { VerifyOptions } from '../actions/requests/verification-actions.js'
import type { Abortable } from '../async/within-seconds.js'
import type { DownloadOptions, LinkedPackage, RequestPackage } from '../execution/package/request-package.js'
import type { Preview, Review } from '../execution/request-engine.js'
import type { AcceptanceInput } from '../model/acceptance.js'
import type { AuditEntry } from '../model/audit-entry.js'
import type { ErasureReceipt } from '../model/erasure-receipt.js'
import type { Evidence } from '../model/evidence.js'
import type { Identity } from '../model/identity.js'
import type { ManualValues } from '../model/parse-manual-upload.js'
import type {
  ActionNeeded,
  ErasureConfirmationInput,
  ExecutionLog,
  PackageFile,
  PrivacyRequest,
  SubmissionInput,
} from '../model/privacy-request.js'
import type { ResumeInput } from '../model/webhook-answer-content.js'
import type { Plan } from '../rules/plan/plan.js'

/** Privacy requests, from submission to the package or the receipt. Each rejects with `not_found` for an unknown id. */
export interface Requests {
  /**
   * Stores a request and has it run; resolves as soon as it is stored. Rejects with `invalid_input`, also where the policy
   * does not exist, and with `unsupported` for what this version cannot answer.
   */
  submit(input: SubmissionInput, by?: RequestCaller): Promise<SubmittedRequest>
  get(id: string): Promise<PrivacyRequest>
  /** One page, newest first unless sorted otherwise. Rejects with `invalid_input` naming every bad option. */
  list(options?: RequestListOptions): Promise<Page<PrivacyRequest>>
  /** What `list` finds as lines of CSV, not paged, read as they are taken. Rejects as `list` does. */
  exportCsv(options?: RequestExportOptions): Promise<AsyncIterable<string>>
  /**
   * Resolves with the request once it has ended, well or not; also where it is paused until somebody accepts what
   * `actionRequired.accept` names. While it waits for anything else, such as a legal hold, an approval or what people look
   * up, this waits as well, however long that takes: `signal` ends it, and it rejects, as it does when the service is closed.
   */
  settled(id: string, options?: Abortable): Promise<PrivacyRequest>
  /**
   * Runs what is ready here and now, for hosts that set `execution.immediate` to false. Resolves when it has ended. With an
   * id, rejects with `invalid_state` where that request cannot be run, or is being run.
   */
  run(id?: string): Promise<void>
  /** Runs again what a failed request has not finished; what it has is kept. Rejects with `invalid_state` otherwise. */
  retry(id: string, options?: RetryOptions): Promise<PrivacyRequest>
  /**
   * Ends a request that is not wanted any more, for good, and removes what it has read. One that is erasing stops after the
   * batch in flight and ends in `error`. Exactly one of several callers succeeds; rejects with `invalid_state` where it has
   * ended already.
   */
  cancel(id: string, options?: CancelOptions): Promise<PrivacyRequest>

  /**
   * The plan for a policy and identities: what would be read, from where, in what order, and what not. Waits for live
   * catalogues until `signal` aborts. Stores nothing.
   */
  preview(input: PreviewInput, options?: Abortable): Promise<Preview>
  /**
   * The plan that a request would run with once it is approved, and what nobody has checked of its identities. Rejects with
   * `gone` once its data was destroyed.
   */
  review(id: string, options?: Abortable): Promise<Review>
  /**
   * Lets a request run, its identities taken for proven. Exactly one of several callers succeeds; rejects with
   * `invalid_state` where it does not wait for approval.
   */
  approve(id: string, options?: ApproveOptions): Promise<PrivacyRequest>
  /** Ends a request that must not be answered. Rejects with `invalid_state` where it does not wait for approval. */
  deny(id: string, options?: DenyOptions): Promise<PrivacyRequest>
  /**
   * Lets a request go on that waits for a decision: about rows of which nobody has said whose they are, collections that are
   * not searched, or identities that nothing confirms. Rejects with `invalid_state` where it waits for nothing of the kind.
   */
  accept(id: string, input: AcceptanceInput, by?: RequestCaller): Promise<PrivacyRequest>
  /**
   * Extends the deadline, once, as far as the law of its policy goes, and mails the reason to the person. Rejects with
   * `unsupported` where there is no extension, with `invalid_state` where it is too late or there was one, and with
   * `invalid_input` without a reason.
   */
  extendDeadline(id: string, options: ExtendOptions): Promise<PrivacyRequest>

  /** Whether requests wait until the address of their person is verified. */
  readonly verificationRequired: boolean
  /**
   * Takes the code that was mailed; the request then goes on. A right code counts once, a wrong one may be tried three times.
   * Rejects with `verification_failed` saying whether to try again or to ask for a new one.
   */
  verify(id: string, options: VerifyOptions): Promise<PrivacyRequest>
  /**
   * Mails a new code; the one before counts no more. Rejects with `rate_limited` within a minute of the last one, and where
   * the request has had five.
   */
  resend(id: string, by?: RequestCaller): Promise<PrivacyRequest>

  /** What a person has to do for a request that waits at a manual collection. Undefined where it waits for nothing of the kind. */
  actionNeeded(id: string): Promise<readonly ActionNeeded[] | undefined>
  /**
   * Takes the rows that a person has looked up; `[]` where there are none. Exactly one of several callers succeeds. Rejects
   * with `invalid_state` where the request waits for nothing of the kind, and with `invalid_input` naming every row that does
   * not fit.
   */
  manualInput(
    id: string,
    rows: readonly Readonly<Record<string, unknown>>[],
    by?: RequestCaller,
  ): Promise<PrivacyRequest>
  /**
   * Takes a person's word that none of the rows they were to erase is left, and how many they have erased. Exactly one of
   * several callers succeeds. Rejects with `invalid_state` where the request does not wait for that.
   */
  confirmErasure(id: string, input: ErasureConfirmationInput, by?: RequestCaller): Promise<PrivacyRequest>
  /**
   * Takes what a person has found for a manual webhook; `{}` says that the system was searched and holds nothing. It replaces
   * what was uploaded before. Rejects with `invalid_input` naming every unknown member, and with `invalid_state` once the
   * request has ended.
   */
  uploadManualData(id: string, webhook: string, values: ManualValues, by?: RequestCaller): Promise<void>
  /** What was uploaded for one webhook. Rejects with `gone` once the request's data was destroyed. */
  manualData(id: string, webhook: string): Promise<ManualUploadState>
  /**
   * Lets a request go on that waited for uploads; exactly one of several callers succeeds. Rejects with `invalid_state`
   * naming the webhooks whose upload is missing.
   */
  resumeFromRequiresInput(id: string, by?: RequestCaller): Promise<PrivacyRequest>
  /**
   * Lets a request go on that a policy webhook has halted, once, for the caller who has the token of that call. What is added
   * to the identities is looked for as well. Rejects with `unauthenticated`, `token_expired`, and `invalid_state` for a token
   * that was used, or a request that is not halted.
   */
  resume(id: string, token: string, input?: ResumeInput): Promise<PrivacyRequest>

  /** The packages of a complete request, one for each access rule and format. */
  packages(id: string): Promise<readonly PackageFile[]>
  /**
   * One package with its name, kind and size. The choice may be left out where there is one only. Rejects with `not_found`
   * where there is none, with `invalid_input` naming those there are where several are meant, and with `gone` once it was
   * removed.
   */
  package(id: string, choice?: PackageChoice): Promise<RequestPackage>
  /** The bytes of a package, to be written to a file. Rejects as `package` does, with the first part. */
  readPackage(id: string, choice?: PackageChoice): AsyncIterable<Uint8Array>
  /**
   * A fresh link that hands a package over once. Rejects as `package` does.
   */
  createDownloadLink(id: string, choice?: PackageChoice & RequestCaller): Promise<DownloadLink>
  /**
   * Hands a package over to the first caller with the token of a link. A caller who was cut off gets the rest. Rejects with
   * `gone` for all others.
   */
  download(id: string, download: DownloadOptions): Promise<LinkedPackage>
  /** Notes in the audit trail that a package was handed over without a link. */
  noteDownload(id: string, name: string, by?: RequestCaller): Promise<void>

  /** The identities of a request, for callers who may see the person's data. Rejects with `gone` once they were destroyed. */
  identities(id: string): Promise<readonly Identity[]>
  /** The plan of the last run; undefined before the first. */
  plan(id: string): Promise<Plan | undefined>
  /** The execution log, one page, oldest entry first. */
  log(id: string, paging?: Paging): Promise<Page<ExecutionLog>>
  /** What an erasure did. Rejects with `not_found` where nothing was to be erased, or not yet. */
  receipt(id: string): Promise<ErasureReceipt>
  /** Who did what to the request, and each change of its status: one page, oldest entry first. */
  auditTrail(id: string, paging?: Paging): Promise<Page<AuditEntry>>
  /**
   * Everything that is kept about a request, signed: `verifyEvidence` and `npx habeas-verify` check it without the service.
   * It holds no identity, and can be had after these were destroyed.
   */
  exportEvidence(id: string): Promise<Evidence>
  /** The public key that evidence of this service is signed with, base64url: to be kept where it is to be checked. */
  evidenceKey(): Promise<string>
}

/** What a plan is made for. */
export interface PreviewInput {
  readonly policyKey: string
  readonly identities: readonly Identity[]
}
