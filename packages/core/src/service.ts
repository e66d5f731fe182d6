import { clientActions } from './actions/access/client-actions.js'
import { tokenActions } from './actions/access/token-actions.js'
import type { ActionContext } from './actions/action-context.js'
import { type ConnectionActions, connectionActions } from './actions/connections/connection-actions.js'
import { connectionSecrets } from './actions/connections/connection-secrets.js'
import { dataMapActions } from './actions/datamap/data-map-actions.js'
import { evaluationActions } from './actions/evaluations/evaluation-actions.js'
import { failureWatch } from './actions/failure-watch.js'
import { keyCheck } from './actions/key-check.js'
import { manualWebhookActions } from './actions/manual/manual-webhook-actions.js'
import { auditActions } from './actions/proof/audit-actions.js'
import { datasetActions, datasetStore } from './actions/resources/dataset-actions.js'
import { manifestActions } from './actions/resources/manifest-actions.js'
import { resourceActions } from './actions/resources/resource-actions.js'
import { withoutSteps } from './actions/resources/without-steps.js'
import { secretRotation } from './actions/secret-rotation.js'
import { serviceKeys } from './actions/service-keys.js'
import { storageClock } from './actions/storage-clock.js'
import { policyWebhookActions } from './actions/webhooks/policy-webhooks.js'
import { type Ready, streamWhileOpen, whileOpen } from './actions/while-open.js'
import type { PrivacyService } from './api/privacy-service.js'
import { atMost } from './async/at-most.js'
import { aesSecrets } from './builtin/aes-secrets.js'
import { consoleLogger } from './builtin/console-logger.js'
import { fileBlobs } from './builtin/file-blobs.js'
import { httpWebhooks } from './builtin/http-webhooks.js'
import { memoryQueue } from './builtin/memory-queue.js'
import { memoryStorage } from './builtin/memory-storage.js'
import { systemRuntime } from './builtin/system-runtime.js'
import { rememberedSecrets } from './crypto/remembered-secrets.js'
import { isPrivacyError } from './errors.js'
import { openConnections } from './execution/connect/open-connections.js'
import { requestEngine } from './execution/request-engine.js'
import { eventChannel } from './execution/run/event-channel.js'
import { countEvents } from './execution/watch/count-events.js'
import { logEvents } from './execution/watch/log-events.js'
import { safeTelemetry } from './execution/watch/safe-telemetry.js'
import type { ConnectionType } from './model/connection.js'
import { errorTrace } from './model/error-trace.js'
import { scopeNames } from './model/scopes.js'
import { type PrivacyServiceOptions, type PrivacyServiceSettings, readOptions } from './options.js'
import type { Connector } from './ports/connector.js'
import { type DatasetDraft, draftDataset } from './rules/draft/draft-dataset.js'
import { mailTexts } from './rules/mail/mail-texts.js'
import { packageText } from './rules/package/package-text.js'

/**
 * Creates the service from the parts that the host passes. Throws `misconfigured`, naming the option, when one is
 * wrong. Call `close` before the process ends.
 */
export function createPrivacyService<const Connectors extends readonly Connector[] = readonly []>(
  options: Omit<PrivacyServiceOptions, 'connectors'> & { readonly connectors?: Connectors | undefined },
): PrivacyService<Exclude<Connectors[number]['type'], ConnectionType>> {
  const settings = readOptions(options as PrivacyServiceOptions)
  const storage = settings.storage ?? memoryStorage()
  // A host that passes a runtime sets its clock.
  const { runtime, follow } = settings.runtime
    ? { runtime: settings.runtime, follow: () => undefined }
    : storageClock(systemRuntime, storage)
  const connectors = new Map(settings.connectors.map((connector) => [connector.type as string, connector]))
  const events = eventChannel()
  const log = settings.logger === false ? undefined : logEvents(settings.logger ?? consoleLogger())
  if (log) events.on(log)
  const telemetry = settings.telemetry && safeTelemetry(settings.telemetry)
  if (telemetry) events.on(countEvents(telemetry))
  const secrets = settings.secrets ?? aesSecrets({ keys: settings.encryptionKey as string })
  const context: ActionContext = {
    storage,
    runtime,
    connectors,
    secrets: rememberedSecrets(secrets),
    failures: failureWatch(events.emit, runtime),
    options: {
      taxonomy: settings.taxonomy,
      evaluateWrites: settings.evaluateWrites,
      connectionTestSeconds: settings.connectionTestSeconds,
      inferIdentities: settings.inferIdentities,
      inferOwners: settings.ownership === 'inferred',
      timeZone: settings.timeZone,
      retention: {
        linkSeconds: settings.security.subjectRequestDownloadLinkTtlSeconds,
        ...settings.retention,
      },
    },
    connectionChanged: (key) => void connections.forget(key),
    catalogue: async (key, options) => {
      const manual = (await storage.table('connection').get(key))?.connectionType === 'manual'
      return manual ? undefined : (await connections.get(key)).catalogue(options)
    },
  }
  const datasets = datasetStore(context)
  const connections = openConnections({
    catalogueSeconds: settings.catalogueSeconds,
    maxConcurrentPerConnection: settings.execution.maxConcurrentPerConnection,
    batchPauseMs: settings.execution.batchPauseMs,
    answerMinutes: settings.execution.answerMinutes,
    now: () => runtime.now(),
    source: connectionSecrets(context).source,
  })
  const documents = resourceActions(context)
  const keyOption = settings.secrets ? 'secrets' : 'encryptionKey'
  const keys = serviceKeys(context, keyOption)
  const keysFit = keyCheck({ storage, secrets, runtime }, keyOption)
  const ready: Ready = () => follow()?.then(keysFit.ready) ?? keysFit.ready()
  const check = async () => {
    await follow()
    await keysFit.check()
  }
  const { allowPrivateAddresses, timeoutSeconds, ...calling } = settings.webhooks
  const sender = settings.webhookSender ?? httpWebhooks({ allowPrivateAddresses, timeoutSeconds })
  const ownBlobs = fileBlobs()
  const {
    privacyRequestDelayTimeoutMinutes: resumeMinutes,
    batchPauseMs: _,
    answerMinutes: __,
    ...execution
  } = settings.execution
  const { oauthRootClientId: rootClientId, oauthRootClientSecret: rootClientSecret } = settings.security
  const {
    on,
    close: stop,
    releaseRequests: released,
    holds,
    replay: { isErased, replayErasures },
    readPackage,
    work,
    upkeep,
    health: { health, isReady },
    ...requests
  } = requestEngine({
    context,
    blobs: settings.blobs ?? ownBlobs,
    queue: settings.queue ?? memoryQueue(),
    connections,
    events,
    policy: (key) => documents.policies.get(key),
    serviceKeys: keys,
    ready: check,
    telemetry,
    inferIdentities: settings.inferIdentities,
    inferOwners: settings.ownership === 'inferred',
    strictCoverage: settings.coverage === 'strict',
    rootClientId,
    mailer: settings.mailer,
    mail: mailSettings(settings),
    links: {
      ttlSeconds: settings.security.subjectRequestDownloadLinkTtlSeconds,
      publicUrl: settings.publicUrl?.replace(/\/+$/, ''),
    },
    codeTtlSeconds: settings.security.identityVerificationCodeTtlSeconds,
    packageText: packageText(settings.packageTexts, { defaultLanguage: settings.mailLanguage }),
    webhooks: { sender, ...calling, resumeMinutes },
    ...execution,
  })
  const { kinds, ...connectionResource }: ConnectionActions = connectionActions(context, datasets, { released })

  const { evaluate, ...evaluations } = evaluationActions(context, {
    policy: (key) => documents.policies.get(key),
    rootClientId,
  })
  const { read, ...manifests } = manifestActions(context)
  const { policies, ...resources } = withoutSteps(documents)
  const closing = new AbortController()
  const actions = {
    ...resources,
    policies: { ...policies, evaluate },
    datasets: datasetActions(datasets),
    dataMap: dataMapActions(context),
    evaluations,
    manifests,
    connections: {
      ...connectionResource,
      async draftDataset(
        key: string,
        draft: { readonly key?: string; readonly name?: string } = {},
      ): Promise<DatasetDraft> {
        const open = await connections.get(key)
        const inferences = {
          inferIdentities: settings.inferIdentities,
          inferOwners: settings.ownership === 'inferred',
        }
        return draftDataset(await open.catalogue({ fresh: true }), {
          key,
          ...draft,
          ...inferences,
        })
      },
    },
    policyWebhooks: policyWebhookActions(context, { policy: (key) => documents.policies.get(key), sender }),
    manualWebhooks: manualWebhookActions(context, { released }),
    requests,
    holds,
    isErased,
    replayErasures,
    upkeep,
    clients: clientActions(context, { rootClientId, ...settings.oauth }),
    tokens: tokenActions(context, {
      expireMinutes: settings.security.oauthAccessTokenExpireMinutes,
      rootClientId,
      rootClientSecret,
      serviceKeys: keys,
    }),
    audit: auditActions(context),
    ...secretRotation({ storage, secrets, runtime }, closing.signal),
  }
  /** A worker waits for a storage that is away, and does not begin with keys that do not open what is stored. */
  const checkedWork: typeof work = async (...given) => {
    await check().catch((error) => {
      if (isPrivacyError(error, 'misconfigured')) throw error
    })
    return work(...given)
  }
  const failedCall = (call: string, error: unknown) => log?.({ type: 'call', call, ...errorTrace(error) })
  const open = whileOpen(actions, closing.signal, ready, failedCall)
  return {
    ...open,
    ...whileOpen({ health, isReady, work: checkedWork }, closing.signal),
    manifests: { ...open.manifests, read },
    connections: { ...open.connections, kinds },
    requests: { ...open.requests, readPackage: streamWhileOpen(readPackage, closing.signal, ready) },
    scopes: scopeNames,
    on,
    async close(): Promise<void> {
      closing.abort()
      connections.abandon()
      await stop()
      await atMost(connections.close(), settings.execution.closeSeconds)
      await ownBlobs.close()
      if (!settings.storage) await storage.close()
    },
  }
}

/** Throws `misconfigured` for texts that could not be filled in. */
function mailSettings({ mailer, mailTexts: texts, mailLanguage, notifications, publicUrl }: PrivacyServiceSettings) {
  return {
    render: mailTexts(texts, { defaultLanguage: mailLanguage }),
    sends: mailer !== undefined,
    kinds: {
      request_receipt: notifications.sendRequestReceiptNotification,
      request_completion: notifications.sendRequestCompletionNotification,
      request_review: notifications.sendRequestReviewNotification,
      request_extension: notifications.sendRequestExtensionNotification,
    },
    domain: publicUrl === undefined ? 'habeas.invalid' : new URL(publicUrl).hostname,
  }
}
