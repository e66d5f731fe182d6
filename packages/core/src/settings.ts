/** One setting in a configuration file and in the environment. */
export interface Setting {
  /** The option of `createPrivacyService`, with its section. */
  readonly option: string
  /** Its name in the file, with its section. */
  readonly name: string
  /** Its variables in the environment; the first that is set counts. */
  readonly variables: readonly string[]
  readonly kind: 'flag' | 'number' | 'text'
}

/** Everything `loadOptions` reads. The README's table is derived from it as well. */
export const settings: readonly Setting[] = [
  {
    option: 'encryptionKey',
    name: 'encryption_key',
    variables: ['HABEAS_ENCRYPTION_KEY'],
    kind: 'text',
  },
  specified('security.oauth_root_client_id', 'text'),
  specified('security.oauth_root_client_secret', 'text'),
  specified('security.oauth_access_token_expire_minutes', 'number'),
  specified('security.subject_request_download_link_ttl_seconds', 'number'),
  specified('execution.subject_identity_verification_required', 'flag'),
  specified('execution.require_manual_request_approval', 'flag'),
  specified('execution.immediate', 'flag'),
  specified('notifications.send_request_receipt_notification', 'flag'),
  specified('notifications.send_request_completion_notification', 'flag'),
  specified('notifications.send_request_review_notification', 'flag'),
  ours('notifications.send_request_extension_notification', 'flag'),
  ours('security.identity_verification_code_ttl_seconds', 'number'),
  ours('execution.in_process', 'flag'),
  ours('execution.concurrency', 'number'),
  ours('execution.max_concurrent_per_connection', 'number'),
  ours('execution.answer_minutes', 'number'),
  ours('execution.batch_pause_ms', 'number'),
  ours('execution.max_rounds', 'number'),
  ours('execution.sweep_seconds', 'number'),
  ours('execution.retry_minutes', 'number'),
  ours('execution.retry_delay_seconds', 'number'),
  ours('execution.close_seconds', 'number'),
  ours('execution.lease_seconds', 'number'),
  ours('execution.privacy_request_delay_timeout_minutes', 'number'),
  ours('webhooks.allow_private_addresses', 'flag'),
  ours('webhooks.timeout_seconds', 'number'),
  ours('webhooks.retries', 'number'),
  ours('webhooks.retry_delay_seconds', 'number'),
  ours('oauth.grant_own_scopes_only', 'flag'),
  ours('retention.unverified_days', 'number'),
  ours('retention.error_days', 'number'),
  ours('mail_language', 'text'),
  ours('public_url', 'text'),
  ours('time_zone', 'text'),
  ours('taxonomy', 'text'),
  ours('evaluate_writes', 'text'),
  ours('infer_identities', 'flag'),
  ours('ownership', 'text'),
  ours('coverage', 'text'),
  ours('catalogue_seconds', 'number'),
  ours('connection_test_seconds', 'number'),
]

/** Named by the specification, so that its bare name is read as well. */
function specified(name: string, kind: Setting['kind']): Setting {
  const { variables, ...setting } = ours(name, kind)
  return { ...setting, variables: [...variables, name.replace(/^.*\./, '').toUpperCase()] }
}

/** Bare names such as `CONCURRENCY` belong to others too. */
function ours(name: string, kind: Setting['kind']): Setting {
  const option = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return { option, name, variables: [`HABEAS__${name.replaceAll('.', '__').toUpperCase()}`], kind }
}
