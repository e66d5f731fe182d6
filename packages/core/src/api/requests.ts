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
import type { Preview, Review } from '../execution/run/review-actions.js'
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
  UnknownMembers,
} from '../model/privacy-request.js'
import type { ResumeInput } from '../model/webhook-answer-content.js'
import type { Plan } from '../rules/plan/plan.js'

/** Privacy requests, from submission to the package or the receipt. Each rejects with `not_found` for an unknown id. */
export interface Requests {
  /**
   * Stores a request and has it run; resolves as soon as it is stored. Rejects with `invalid_input`, also where the
   * policy does not exist or a member is not known, and with `unsupported` for anything this version cannot answer.
   */
  submit(input: SubmissionInput, by?: RequestCaller & UnknownMembers): Promise<SubmittedRequest>
  get(id: string): Promise<PrivacyRequest>
  /** One page, newest first unless sorted otherwise. Rejects with `invalid_input` naming every bad option. */
  list(options?: RequestListOptions): Promise<Page<PrivacyRequest>>
  /**
   * The requests that `list` finds, as lines of CSV: not paged, and read while they are consumed. Rejects as `list`
   * does.
   */
  exportCsv(options?: RequestExportOptions): Promise<AsyncIterable<string>>
  /**
   * Resolves with the request once it has completed or failed, or is paused until a person accepts what
   * `actionRequired.accept` names. While the request waits for anything else, such as a legal hold, an approval or rows
   * that people look up, this call waits as well, however long that takes. It rejects when `signal` aborts or the
   * service is closed.
   */
  settled(id: string, options?: Abortable): Promise<PrivacyRequest>
  /**
   * Runs waiting requests in this process, for hosts that set `execution.immediate` to false. Resolves when they have
   * ended. With an id, rejects with `invalid_state` where that request cannot be run, or is being run.
   */
  run(id?: string): Promise<void>
  /** Runs the unfinished parts of a failed request; finished parts are kept. Rejects with `invalid_state` otherwise. */
  retry(id: string, options?: RetryOptions): Promise<PrivacyRequest>
  /**
   * Ends a request that is no longer wanted, for good, and removes the data it has read. A request that is erasing
   * takes back the batch that is being written and ends in `error`. Exactly one of several callers succeeds; rejects with
   * `invalid_state` where the request has ended already.
   */
  cancel(id: string, options?: CancelOptions): Promise<PrivacyRequest>

  /**
   * The plan for a policy and identities: what would be read, from where, in what order, and what not. Waits for live
   * catalogues until `signal` aborts. Stores nothing.
   */
  preview(input: PreviewInput, options?: Abortable & UnknownMembers): Promise<Preview>
  /**
   * The plan with which a request would run once it is approved, and the identities that are unverified. Rejects with
   * `gone` once its data was destroyed.
   */
  review(id: string, options?: Abortable): Promise<Review>
  /**
   * Lets a request run and takes its identities as verified. Exactly one of several callers succeeds; rejects with
   * `invalid_state` where the request does not wait for approval.
   */
  approve(id: string, options?: ApproveOptions): Promise<PrivacyRequest>
  /** Ends a request that must not be answered. Rejects with `invalid_state` where it does not wait for approval. */
  deny(id: string, options?: DenyOptions): Promise<PrivacyRequest>
  /**
   * Lets a request continue that waits for a decision about undecided rows, collections that are not searched, or
   * identities that nothing confirms. Rejects with `invalid_state` where it waits for none of these.
   */
  accept(id: string, input: AcceptanceInput, by?: RequestCaller): Promise<PrivacyRequest>
  /**
   * Extends the deadline, once, as far as the law of its policy allows, and mails the reason to the person. Rejects
   * with `unsupported` where there is no extension, with `invalid_state` where it is too late or the deadline was
   * extended before, and with `invalid_input` without a reason.
   */
  extendDeadline(id: string, options: ExtendOptions): Promise<PrivacyRequest>

  /** Whether requests wait until the address of their person is verified. */
  readonly verificationRequired: boolean
  /**
   * Takes the mailed code; the request then continues. A right code counts once, a wrong one may be tried three times.
   * Rejects with `verification_failed` saying whether to try again or to ask for a new one.
   */
  verify(id: string, options: VerifyOptions): Promise<PrivacyRequest>
  /**
   * Mails a new code; the previous one no longer counts. Rejects with `rate_limited` within a minute of the last one,
   * and where the request has had five.
   */
  resend(id: string, by?: RequestCaller): Promise<PrivacyRequest>

  /**
   * The task for a person, of a request that waits at a manual collection. Undefined where the request waits for no
   * such task.
   */
  actionNeeded(id: string): Promise<readonly ActionNeeded[] | undefined>
  /**
   * Takes the rows that a person has looked up; `[]` where there are none. Exactly one of several callers succeeds.
   * Rejects with `invalid_state` where the request does not wait for rows, and with `invalid_input` naming every row
   * that does not fit.
   */
  manualInput(
    id: string,
    rows: readonly Readonly<Record<string, unknown>>[],
    by?: RequestCaller,
  ): Promise<PrivacyRequest>
  /**
   * Takes a person's word that they have erased their rows and none is left, and how many they have erased. Exactly one
   * of several callers succeeds. Rejects with `invalid_state` where the request does not wait for that.
   */
  confirmErasure(id: string, input: ErasureConfirmationInput, by?: RequestCaller): Promise<PrivacyRequest>
  /**
   * Takes the data that a person has found for a manual webhook; `{}` says that the system was searched and holds
   * nothing. It replaces an earlier upload. Rejects with `invalid_input` naming every unknown member, and with
   * `invalid_state` once the request has ended.
   */
  uploadManualData(id: string, webhook: string, values: ManualValues, by?: RequestCaller): Promise<void>
  /** The upload for one webhook. Rejects with `gone` once the request's data was destroyed. */
  manualData(id: string, webhook: string): Promise<ManualUploadState>
  /**
   * Lets a request continue that waited for uploads. Exactly one of several callers succeeds. Rejects with
   * `invalid_state` naming the webhooks whose upload is missing.
   */
  resumeFromRequiresInput(id: string, by?: RequestCaller): Promise<PrivacyRequest>
  /**
   * Lets a request continue that a policy webhook has halted, once, for the caller with the token of that call.
   * Identities that are added are searched as well. Rejects with `unauthenticated`, `token_expired`, and
   * `invalid_state` for a used token, or a request that is not halted.
   */
  resume(id: string, token: string, input?: ResumeInput): Promise<PrivacyRequest>

  /** The packages of a complete request, one for each access rule and format. */
  packages(id: string): Promise<readonly PackageFile[]>
  /**
   * One package with its name, kind and size. The choice may be left out where there is only one. Rejects with
   * `not_found` where there is none, with `invalid_input` naming the packages where several match, and with `gone` once
   * the package was removed.
   */
  package(id: string, choice?: PackageChoice): Promise<RequestPackage>
  /** The bytes of a package, to be written to a file. Rejects as `package` does, with the first part. */
  readPackage(id: string, choice?: PackageChoice): AsyncIterable<Uint8Array>
  /**
   * A fresh link that hands a package over once. Rejects as `package` does.
   */
  createDownloadLink(id: string, choice?: PackageChoice & RequestCaller): Promise<DownloadLink>
  /**
   * Hands a package to the first caller with the token of a link. If the transfer breaks off, the same caller gets the
   * rest. Rejects with `gone` for all other callers.
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
  /** What an erasure did. Rejects with `not_found` where there is nothing to erase, or nothing was erased yet. */
  receipt(id: string): Promise<ErasureReceipt>
  /** Who did what to the request, and each change of its status: one page, oldest entry first. */
  auditTrail(id: string, paging?: Paging): Promise<Page<AuditEntry>>
  /**
   * Everything that is kept about a request, signed: `verifyEvidence` and `npx habeas-verify` check it without the
   * service. It holds no identity, and stays available after the identities were destroyed.
   */
  exportEvidence(id: string): Promise<Evidence>
  /**
   * The public key that checks the signature of this service's evidence, base64url. Keep it where evidence is checked.
   */
  evidenceKey(): Promise<string>
}

/** The input of a plan. */
export interface PreviewInput {
  readonly policyKey: string
  readonly identities: readonly Identity[]
}
