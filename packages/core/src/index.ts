// For applications

export type { ReplayOptions } from './actions/proof/erasure-replay.js'
export type { Clients, Tokens } from './api/clients.js'
export type { Connections } from './api/connections.js'
export type { DataMaps } from './api/data-map.js'
export type { Datasets } from './api/datasets.js'
export type { Evaluations, Policies } from './api/evaluations.js'
export type { LegalHolds } from './api/legal-holds.js'
export type { ManifestInput, Manifests, PrivacyService } from './api/privacy-service.js'
export type { PreviewInput, Requests } from './api/requests.js'
export type { Resource } from './api/resource.js'
export type { ManualWebhooks, PolicyWebhooks } from './api/webhooks.js'
export { type AesSecretsOptions, aesSecrets } from './builtin/aes-secrets.js'
export { consoleMailer, type MailStream } from './builtin/console-mailer.js'
export { type FileBlobs, type FileBlobsOptions, fileBlobs } from './builtin/file-blobs.js'
export { memoryBlobs } from './builtin/memory-blobs.js'
export { memoryMailer } from './builtin/memory-mailer.js'
export { memoryQueue } from './builtin/memory-queue.js'
export { memoryStorage } from './builtin/memory-storage.js'
export { type OpenTelemetryApi, openTelemetry } from './builtin/open-telemetry.js'
export { systemRuntime } from './builtin/system-runtime.js'
export {
  type ErrorCode,
  type ErrorDetails,
  type Issue,
  isOutcomeUnknown,
  isPrivacyError,
  PrivacyError,
} from './errors.js'
export type { Preview, Review } from './execution/run/review-actions.js'
export { type LoadOptions, loadOptions } from './load-options.js'
export type { Acceptance, AcceptanceInput } from './model/acceptance.js'
export type { ActionType } from './model/action-type.js'
export type { AuditEntry } from './model/audit-entry.js'
export type { CollectionResult, FieldResult, Outcome, ResidualHit, UndecidedResult } from './model/collection-result.js'
export type {
  Connection as ConnectionConfig,
  ConnectionInput,
  ConnectionPatchInput,
  ConnectionType,
} from './model/connection.js'
export type { CoverageGaps } from './model/coverage-gaps.js'
export type {
  DataMap,
  DataMapExportOptions,
  DataMapFile,
  DataMapFormat,
  DataMapOptions,
  DataMapView,
  MapBlank,
  MapCell,
  MapRow,
} from './model/data-map.js'
export type { Collection, CollectionInput, Dataset, DatasetInput, Field, FieldInput } from './model/dataset.js'
export type { ErasureReceipt, ReceiptCollection } from './model/erasure-receipt.js'
export type { ErasureReplay } from './model/erasure-replay.js'
export type {
  EvaluatedDocument,
  Evaluation,
  EvaluationInput,
  EvaluationStatus,
  EvaluationSummary,
  Violation,
} from './model/evaluation.js'
export type { Evidence } from './model/evidence.js'
export type { Health, HealthPart, HealthProblem, PartHealth } from './model/health.js'
export type { Identity } from './model/identity.js'
export type { KeptCopy } from './model/kept-copy.js'
export type { LegalHold, LegalHoldInput, LegalHoldStatus } from './model/legal-hold.js'
export type { LookedFor, Spelling } from './model/looked-for.js'
export type { MailTemplate, MailTextKind, MailTexts } from './model/mail-texts.js'
export type { ManualField, ManualWebhook, ManualWebhookInput } from './model/manual-webhook.js'
export type { MaskingStrategy } from './model/masking-strategy.js'
export type { Organization, OrganizationInput } from './model/organization.js'
export type { CountingText, PackageTextKey, PackageTexts } from './model/package-texts.js'
export type { ManualValue, ManualValues } from './model/parse-manual-upload.js'
export type { PackageFormat, Policy, PolicyInput, Rule } from './model/policy.js'
export type {
  PolicyWebhook,
  PolicyWebhookInput,
  PolicyWebhookPatchInput,
  WebhookPhase,
} from './model/policy-webhook.js'
export type { PrivacyEvent, RequestStep } from './model/privacy-event.js'
export type {
  ActionNeeded,
  ErasureConfirmationInput,
  ExecutionLog,
  PrivacyRequest,
  RequestStatus,
  SubmissionInput,
} from './model/privacy-request.js'
export type { Proposal, ProposedReference } from './model/proposal.js'
export type { ApplyOptions, ProposalChoice } from './model/proposal-choice.js'
export type { Registry, RegistryInput } from './model/registry.js'
export type { SecretRotation } from './model/secret-rotation.js'
export type { Reference, Retain } from './model/service-meta.js'
export type { PrivacyDeclaration, System, SystemInput } from './model/system.js'
export type {
  DataCategory,
  DataCategoryInput,
  DataQualifier,
  DataQualifierInput,
  DataSubject,
  DataSubjectInput,
  DataUse,
  DataUseInput,
} from './model/taxonomy.js'
export type { PrivacyServiceOptions } from './options.js'
export { receiptHtml } from './results/proof/receipt-html.js'
export { receiptText } from './results/proof/receipt-text.js'
export { type EvidenceOptions, type EvidenceVerdict, verifyEvidence } from './results/proof/verify-evidence.js'
export type { AnsweredReference, ReferenceAnswer } from './rules/draft/answers-to.js'
export { applyProposals } from './rules/draft/apply-proposals.js'
export {
  type DatasetDraft,
  type DraftOptions,
  draftDataset,
  type SkippedForeignKey,
} from './rules/draft/draft-dataset.js'
export type { OpenReference, OpenReferences } from './rules/draft/reference-questions.js'
export type { DatasetNotices } from './rules/findings/dataset-notices.js'
export type { Finding } from './rules/findings/finding.js'
export type { DescriptionGap } from './rules/gaps/description-gap.js'
export type { Plan, PlannedCollection, PlannedOpen, UnsearchedCollection } from './rules/plan/plan.js'
export { createPrivacyService } from './service.js'
export { type CommandEnd, verifyCommand } from './verify-command.js'

// For interfaces to the service, such as the one over HTTP

export type { CallerOptions, ClientCredentials } from './actions/access/client-actions.js'
export type { Credentials, IssuedToken, TokenDescription } from './actions/access/token-actions.js'
export type { ConnectionTestResult } from './actions/connection-test.js'
export type { WrittenConnection } from './actions/connections/connection-actions.js'
export type { ConnectionFilters, ConnectionKind } from './actions/connections/connection-filters.js'
export type { ManualUploadState } from './actions/manual/manual-upload-actions.js'
export type { DescribedManualWebhook, WrittenManualWebhook } from './actions/manual/manual-webhook-actions.js'
export type { Page } from './actions/paging.js'
export type {
  CheckedDataset,
  DatasetCoverage,
  DatasetLink,
  StoredDataset,
  UnreadDataset,
  WrittenDataset,
} from './actions/resources/dataset-actions.js'
export type { AppliedManifest, ManifestFailure } from './actions/resources/manifest-actions.js'
export type { Notices, Stored, Written } from './actions/resources/resources.js'
export type { ShownPolicyWebhook, WebhookOrder } from './actions/webhooks/policy-webhooks.js'
export { isPlainObject, type Warning } from './model/clean-input.js'
export type { Client, ClientInput, ClientScopesInput } from './model/client.js'
export { walkFields } from './model/dataset.js'
export type { PatchOf } from './model/input-of.js'
export { ancestors, type ParentLinks } from './model/is-covered.js'
export {
  type Manifest,
  type ManifestFile,
  type ManifestItem,
  type ManifestKind,
  manifestKinds,
} from './model/manifest.js'
export { nearestHint } from './model/nearest-key.js'
export { invalidInput, parseInput } from './model/parse-input.js'
export { requestStatuses } from './model/privacy-request.js'
export type { RequestMailStatus } from './model/request-mail.js'
export { schemas } from './model/schemas.js'
export { readScope, type Scope, scopes, type UsedScope } from './model/scopes.js'
export type { ResumeInput } from './model/webhook-answer-content.js'
export { erasureDecision, retainText } from './rules/erase/erasure-text.js'
export { type PlanWay, planWays } from './rules/plan/plan-ways.js'
export { doubtsText, elementsText, ownerText, undecidedText, unsearchedText } from './rules/plan/plan-wording.js'
export { type Content as HtmlContent, html, type Markup } from './rules/value/html.js'

// For adapter authors

export { blobPath } from './builtin/blob-path.js'
export { exactText } from './builtin/exact-text.js'
export {
  type FilteredColumn,
  type FilteredReads,
  type FilteredSource,
  filteredReads,
} from './builtin/filtered-reads.js'
export { emptyMatcher, type RowMatcherOptions, rowMatcher, tupleMatcher } from './builtin/row-matcher.js'
export { type ConnectorDefinition, defineConnector } from './define-connector.js'
export type {
  Catalogue,
  CatalogueCollection,
  Column,
  ForeignKey,
  Holder,
  IncomingForeignKey,
  Partition,
  ViewOf,
} from './model/catalogue.js'
export { inSmallLetters } from './model/compared-text.js'
export { connectionParts, type DatabaseSecrets, missingSecrets, parseSecrets } from './model/database-secrets.js'
export { isMailAddress, type Mail, type MailKind, parseMail } from './model/mail.js'
export type { FilterRange, RowFilter } from './model/row-filter.js'
export { isTypedText, objectId, type TypedText, type Value, type ValueKind } from './model/value.js'
export type { Blobs } from './ports/blobs.js'
export type { CallOptions, EraseOptions, Fence } from './ports/call-options.js'
export type {
  Assignment,
  Connection,
  Connector,
  CountEach,
  CountRows,
  EmptyField,
  Erase,
  KeyColumn,
  KeyField,
  KeyGroup,
  MostPointers,
  Read,
  Row,
  SpelledKey,
  UnchangedRows,
} from './ports/connector.js'
export type { ConnectorCapabilities, LackingCapability } from './ports/connector-capabilities.js'
export type { Estimate, Estimated } from './ports/estimate.js'
export type { Logger } from './ports/logger.js'
export type { Mailer } from './ports/mailer.js'
export type { HintOptions, Lane, Queue } from './ports/queue.js'
export {
  type CheckpointRow,
  type ConnectionRow,
  type DatasetRow,
  newestFirst,
  type RowKind,
  type Rows,
  searchable,
} from './ports/rows.js'
export type { Runtime } from './ports/runtime.js'
export type { Secrets } from './ports/secrets.js'
export type { FieldCondition, KindQuery, Query, Storage, Table, Where, Write } from './ports/storage.js'
export type { StoredRow } from './ports/stored-row.js'
export type { Attributes, Metric, Span, SpanName, SpanWork, Telemetry } from './ports/telemetry.js'
export type { WebhookAnswer, WebhookCall, WebhookSender } from './ports/webhooks.js'
export { castValue } from './rules/value/cast-value.js'
export {
  type MemberChange,
  type MemberWrite,
  memberChanges,
  sameValue,
  withMemberChanges,
} from './rules/value/member-changes.js'
export { shortestDecimal } from './rules/value/shortest-decimal.js'
