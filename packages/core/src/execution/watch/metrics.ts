import type { Metric } from '../../ports/telemetry.js'

/** Every metric of the service, as docs/production.md lists them. */
export const metrics = {
  requests: metric('counter', 'habeas_requests', '{request}', 'Requests that came to a status, by `status`'),
  duration: metric('histogram', 'habeas_run_duration', 's', 'How long runs took, by `outcome` and `action`'),
  found: metric('counter', 'habeas_rows_found', '{row}', 'Rows of people that were found'),
  erased: metric('counter', 'habeas_rows_erased', '{row}', 'Rows of people that were masked or deleted'),
  retries: metric('counter', 'habeas_retries', '{run}', 'Runs that failed and are tried again'),
  takeovers: metric('counter', 'habeas_takeovers', '{run}', 'Runs that took a request over from a silent one'),
  failures: metric('counter', 'habeas_failures', '{failure}', 'Failures, by `part` and `code`'),
  waiting: metric('gauge', 'habeas_requests_waiting', '{request}', 'Requests that wait only for a worker'),
  oldest: metric('gauge', 'habeas_oldest_waiting_age', 's', 'How long the oldest of them has waited'),
  overdue: metric('gauge', 'habeas_requests_overdue', '{request}', 'Open requests whose deadline is over'),
  mails: metric('gauge', 'habeas_mails_waiting', '{mail}', 'Mails that wait to be sent'),
} as const

function metric(kind: Metric['kind'], name: Metric['name'], unit: string, description: string): Metric {
  return { name, kind, unit, description }
}
