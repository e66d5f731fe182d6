/** A small mistake somebody could make, and what has to notice it. */
export interface Defect {
  /** What goes wrong, as a person would hear of it. */
  readonly what: string
  /** From `packages/`. */
  readonly file: string
  /** A text that stands in the file exactly once, and what stands there instead. */
  readonly search: string
  readonly replace: string
  /** The test files that have to fail, from `packages/`. */
  readonly tests: readonly string[]
  /** A part of the names of the tests in them that are run. Default: all are. */
  readonly only?: string
}

const rules: readonly Defect[] = [
  {
    what: 'what has to stay until a day goes on that day',
    file: 'core/src/rules/erase/retained-by.ts',
    search: 'now.slice(0, 10) <= until',
    replace: 'now.slice(0, 10) < until',
    tests: ['core/src/rules/erase/retained-by.test.ts'],
  },
  {
    what: 'a month after the 31st is a day of the month after',
    file: 'core/src/rules/erase/retained-by.ts',
    search: 'Math.min(start.getUTCDate(), lastDay)',
    replace: 'start.getUTCDate()',
    tests: ['core/src/rules/erase/retained-by.test.ts'],
  },
  {
    what: 'rows that other people share are masked',
    file: 'core/src/rules/erase/row-eraser.ts',
    search: "shared !== undefined && erasure.onShared === 'retain'",
    replace: "shared !== undefined && erasure.onShared !== 'retain'",
    tests: ['core/test/erasure/housemates.test.ts'],
  },
  {
    what: 'a row is deleted although a field of it is kept',
    file: 'core/src/rules/erase/row-eraser.ts',
    search: "erasure.how === 'delete' && instead === undefined",
    replace: "erasure.how === 'delete'",
    tests: ['core/src/rules/erase/row-eraser.test.ts', 'core/test/erasure/kept-fields.test.ts'],
  },
  {
    what: 'NONE matches where some category is covered',
    file: 'core/src/rules/policy/matches-dimension.ts',
    search: 'covered.length === 0 ? declared',
    replace: 'covered.length < declared.length ? declared',
    tests: ['core/src/rules/policy/matches-dimension.test.ts', 'core/src/rules/policy/violation-finder.test.ts'],
  },
  {
    what: 'fields that add nothing to what their dataset says are not evaluated',
    file: 'core/src/rules/policy/declared-places.ts',
    search: 'if (members.length === 0) found.add(level)',
    replace: 'if (members.length === 0 && level !== above) found.add(level)',
    tests: ['core/src/rules/policy/declared-places.test.ts', 'core/src/rules/policy/violation-finder.test.ts'],
  },
  {
    what: 'a policy passes although a key that it rests on does not exist',
    file: 'core/src/actions/evaluations/evaluation-actions.ts',
    search: 'missing.refuse(key, new Set(datasets.map((each) => each.key)))',
    replace: '',
    tests: ['core/src/actions/evaluations/evaluation-actions.test.ts'],
  },
  {
    what: 'what a failed erasure needs to go on is destroyed after some days',
    file: 'core/src/rules/request/destroy-at.ts',
    search: "status === 'error' && erasingSince !== undefined",
    replace: "status === 'error' && erasingSince === ''",
    tests: ['core/src/rules/request/destroy-at.test.ts'],
  },
  {
    what: 'an integer that a double cannot hold becomes a key',
    file: 'core/src/rules/value/cast-value.ts',
    search: "typeof value === 'number' && isExact(value)",
    replace: "typeof value === 'number'",
    tests: ['core/src/rules/value/cast-value.test.ts'],
  },
  {
    what: 'an extended deadline is a month too early',
    file: 'core/src/rules/request/deadline.ts',
    search: 'gdpr: { period: { months: 1 }, extended: { months: 3 } },\n  // Art. 12A',
    replace: 'gdpr: { period: { months: 1 }, extended: { months: 2 } },\n  // Art. 12A',
    tests: ['core/src/rules/request/deadline.test.ts'],
  },
  {
    what: 'a denied request can be retried',
    file: 'core/src/rules/request/request-lifecycle.ts',
    search: "{ error: 'in_processing' }",
    replace: "{ error: 'in_processing', denied: 'in_processing' }",
    tests: ['core/src/rules/request/request-lifecycle.test.ts'],
  },
]

const execution: readonly Defect[] = [
  {
    what: "a row that names two people is the first one's alone",
    file: 'core/src/execution/find/row-judge.ts',
    search: "if (differing.length > 0) decide('shared'",
    replace: "if (differing.length > 1) decide('shared'",
    tests: ['core/src/execution/find/row-judge-identities.test.ts'],
  },
  {
    what: 'an identity that finds nothing by itself makes the row of two people one person’s',
    file: 'core/src/execution/find/identity-matcher.ts',
    search: 'holds(object) && findsAlone(object, [property])',
    replace: 'holds(object)',
    tests: ['core/src/execution/find/row-judge-identities.test.ts'],
  },
  {
    what: "what only points to a person's rows is the person's own",
    file: 'core/src/execution/find/row-judge.ts',
    search: "else decide(isAllOwn ? 'own' : 'indirect')",
    replace: "else decide('own')",
    tests: ['core/src/execution/find/row-judge-references.test.ts'],
  },
  {
    what: 'a request is taken from the process that runs it',
    file: 'core/src/execution/run/hold-lease.ts',
    search: 'if (isLeased(row, now) || ',
    replace: 'if (',
    tests: ['core/src/execution/run/hold-lease.test.ts'],
  },
  {
    what: 'two runs of a request have one number, and write over each other',
    file: 'core/src/execution/run/hold-lease.ts',
    search: '(row.fencingToken ?? 0) + 1',
    replace: 'row.fencingToken ?? 1',
    tests: ['core/src/execution/run/hold-lease.test.ts'],
  },
  {
    what: 'large requests take every place of a worker, and small ones wait',
    file: 'core/src/execution/run/worker-permits.ts',
    search: 'Math.max(1, Math.min(concurrency, maxConcurrentPerConnection) - 1)',
    replace: 'Math.min(concurrency, maxConcurrentPerConnection)',
    tests: ['adapter-postgres/test/lanes.test.ts'],
  },
  {
    what: 'every process does the upkeep of all',
    file: 'core/src/execution/run/upkeep.ts',
    search: '&& !isMine && until > now) return false',
    replace: '&& !isMine && until > now) return true',
    tests: ['core/test/spec/upkeep.test.ts'],
  },
  {
    what: 'a mail server that is away is asked every few seconds for days',
    file: 'core/src/execution/run/outbox.ts',
    search: 'firstPauseSeconds * 4 ** (row.attempts - 1)',
    replace: 'firstPauseSeconds',
    tests: ['core/test/spec/mails-failing.test.ts'],
  },
  {
    what: 'a mail is never given up',
    file: 'core/src/execution/run/outbox.ts',
    search: 'later(-giveUpSeconds) > row.createdAt',
    replace: 'later(-giveUpSeconds) < later(-giveUpSeconds)',
    tests: ['core/test/spec/mails-failing.test.ts'],
  },
  {
    what: 'rows that became somebody else’s after they were found are erased',
    file: 'core/src/execution/erase/changed-owners.ts',
    search: 'if (!isStill(found.at(key))) missing.add(found.at(key))',
    replace: 'if (isPart && !isStill(found.at(key))) missing.add(found.at(key))',
    tests: ['core/test/erasure/whose-meanwhile.test.ts', 'core/test/erasure/meanwhile.test.ts'],
  },
  {
    what: 'what a trigger put back after it was erased is not noticed',
    file: 'core/src/execution/erase/late-rows.ts',
    search: "if (typeof end !== 'object') continue",
    replace: "if (typeof end !== 'undefined') continue",
    tests: ['core/test/erasure/put-back.test.ts'],
  },
]

const actions: readonly Defect[] = [
  {
    what: 'one failure fewer than allowed is let through',
    file: 'core/src/actions/access/failure-limit.ts',
    search: 'window.count > failures',
    replace: 'window.count >= failures',
    tests: ['core/src/actions/access/failure-limit.test.ts'],
  },
  {
    what: 'a code may be guessed once more',
    file: 'core/src/actions/requests/verification-codes.ts',
    search: 'row.attempts < mostAttempts',
    replace: 'row.attempts <= mostAttempts',
    tests: ['core/test/spec/verification.test.ts'],
  },
  {
    what: 'the identities of a legal hold stay after it has ended',
    file: 'core/src/actions/proof/legal-hold-actions.ts',
    search: 'const { sealedIdentities: _, ...rest } = row',
    replace: 'const rest = row',
    tests: ['core/src/actions/proof/legal-hold-actions.test.ts'],
  },
  {
    what: 'null in a merge patch is stored',
    file: 'core/src/actions/resources/merge-patch.ts',
    search: 'if (value === null) merged.delete(name)',
    replace: 'if (value === null) merged.set(name, null)',
    tests: ['core/src/actions/resources/merge-patch.test.ts'],
  },
  {
    what: 'an entry of the audit trail does not rest on the one before',
    file: 'core/src/actions/proof/audit-actions.ts',
    search: 'previousHash: head.hash',
    replace: 'previousHash: null',
    tests: ['core/src/actions/proof/audit-actions.test.ts', 'core/test/spec/evidence.test.ts'],
  },
]

const adapters: readonly Defect[] = [
  {
    what: 'a run that was overtaken writes beside the row that it no longer holds',
    file: 'adapter-postgres/src/state/write-statement.ts',
    search: "isReplaced ? 'exists (select from replaced)' : 'true'",
    replace: "'true'",
    tests: ['adapter-postgres/test/state.contract.test.ts'],
    only: 'writeAll',
  },
  {
    what: 'a condition that no row can meet is passed over',
    file: 'sql/src/condition.ts',
    search: 'return conditions.length < wanted.length ? undefined : conditions',
    replace: 'return conditions',
    tests: ['sql/test/compile-count.test.ts', 'sql/test/list-keys.test.ts'],
  },
  {
    what: 'two keys of two parts find the rows that mix them',
    file: 'sql/src/condition.ts',
    search: 'targets.length > 1 && keys[0]!.length > 1',
    replace: 'targets.length > 1 && keys[0]!.length > 2',
    tests: ['adapter-postgres/test/statements.test.ts'],
  },
  {
    what: 'NULL in a list is read as a word',
    file: 'adapter-postgres/src/array-literal.ts',
    search: "text === 'NULL' ? null",
    replace: "text === 'null' ? null",
    tests: ['adapter-postgres/src/array-literal.test.ts'],
  },
  {
    what: '29 February 2000 is no date',
    file: 'adapter-postgres/src/date-text.ts',
    search: '(ordinal % 4 === 0 && ordinal % 100 !== 0) || ordinal % 400 === 0',
    replace: 'ordinal % 4 === 0 && ordinal % 100 !== 0',
    tests: ['adapter-postgres/src/date-text.test.ts'],
  },
  {
    what: 'names that look like numbers are hashed in the order that objects give them',
    file: 'core/src/crypto/canonical-hash.ts',
    search: 'Object.keys(members).sort()',
    replace: 'Object.keys(Object.fromEntries(Object.entries(members).sort()))',
    tests: ['core/src/crypto/canonical-hash.test.ts'],
  },
  {
    what: 'a batch counts as written where another worker has taken the number of its job',
    file: 'adapter-bigquery/src/fenced-jobs.ts',
    search: 'if (statusOf(error) !== 409) throw error\n      const state',
    replace: 'if (statusOf(error) !== 409) throw error\n      return\n      const state',
    tests: ['adapter-bigquery/test/writing.test.ts'],
  },
  {
    what: 'what others write while a job runs is never counted',
    file: 'adapter-bigquery/src/write-script.ts',
    search: '...(rollBack || statements.length === 0 ? [] : afterwards()),',
    replace: '...[],',
    tests: ['adapter-bigquery/test/writing.test.ts'],
  },
  {
    what: 'times before 1970 lose a second',
    file: 'adapter-bigquery/src/row-values.ts',
    search: '((micros % 1_000_000n) + 1_000_000n) % 1_000_000n',
    replace: '(micros < 0n ? -micros : micros) % 1_000_000n',
    tests: ['adapter-bigquery/test/values.test.ts'],
  },
  {
    what: 'rows outside of a partition filter are written',
    file: 'core/src/execution/connect/filtered-connection.ts',
    search: '    ...filtered(batch),',
    replace: '    ...batch,',
    tests: ['adapter-bigquery/test/partitions.test.ts', 'core/src/execution/connect/filtered-connection.test.ts'],
  },
  {
    what: 'a row is found twice where a read is divided',
    file: 'adapter-bigquery/src/divided-requests.ts',
    search: '...noneOf(others, table)]',
    replace: ']',
    tests: ['adapter-bigquery/test/limits.test.ts'],
    only: 'a request that is more than the service takes',
  },
  {
    what: 'half of a batch is lost where it is too large',
    file: 'core/src/execution/erase/halved.ts',
    search: '(at) => at >= middle',
    replace: '(at) => at > middle',
    tests: ['core/test/erasure/too-large-batches.test.ts'],
  },
  {
    what: 'what a write costs leaves the other columns out',
    file: 'adapter-bigquery/src/connection.ts',
    search: '(writes ? await processed(table.columns.keys()) : 0)',
    replace: '0',
    tests: ['adapter-bigquery/test/costs.test.ts'],
  },
  {
    what: 'texts that SQL Server takes for equal are read and written as well',
    file: 'adapter-mssql/src/shapes.ts',
    search: 'if (isText(column)) return both(',
    replace: "if (column.base === 'nothing') return both(",
    tests: ['adapter-mssql/test/statements.test.ts'],
  },
  {
    what: 'SQL Server rounds a moment to that of another row',
    file: 'adapter-mssql/src/moment-text.ts',
    search: 'return fraction.length <= scale',
    replace: 'return true',
    tests: ['adapter-mssql/src/key-binding.test.ts'],
  },
  {
    what: 'a password goes to a server without encryption',
    file: 'adapter-mssql/src/open-session.ts',
    search: 'if (settings.tls.required) refuseUnencrypted(line)',
    replace: '',
    tests: ['adapter-mssql/test/failures.test.ts'],
    only: 'tls',
  },
  {
    what: 'policies that a role may not see are taken for none',
    file: 'adapter-snowflake/src/hidden-rows.ts',
    search: 'return needed.every((privilege) => granted.has(privilege))',
    replace: 'return needed.some((privilege) => granted.has(privilege))',
    tests: ['adapter-snowflake/test/service-double.test.ts'],
  },
  {
    what: 'rows that nothing has locked are counted only before they are written',
    file: 'sql/src/connection/erase-transaction.ts',
    search: '...again.filter(',
    replace: '...again.slice(0, 0).filter(',
    tests: ['sql/test/unlocked-rows.test.ts'],
  },
  {
    what: 'a receipt names a day before a database has dropped what was erased',
    file: 'core/src/rules/erase/kept-until.ts',
    search: 'keptDays * dayMs',
    replace: '(keptDays - 1) * dayMs',
    tests: ['core/src/rules/erase/kept-until.test.ts'],
  },
  {
    what: 'a new value that begins with a dollar is read as a field',
    file: 'adapter-mongodb/src/row-writes.ts',
    search: 'value: literal(sentValue(to))',
    replace: 'value: sentValue(to)',
    tests: ['adapter-mongodb/src/row-writes.test.ts'],
  },
  {
    what: 'integers beyond 2^53 are rounded',
    file: 'adapter-mongodb/src/bson-value.ts',
    search: 'Number.isSafeInteger(number) ? number : held',
    replace: 'number',
    tests: ['adapter-mongodb/src/bson-value.test.ts'],
  },
  {
    what: 'a password beside a URL is left out',
    file: 'adapter-mongodb/src/client-settings.ts',
    search: 'secrets.password ?? login.password',
    replace: 'login.password',
    tests: ['adapter-mongodb/src/client-settings.test.ts'],
  },
  {
    what: 'a mail server that is busy is taken to refuse the recipient for good',
    file: 'mail-smtp/src/smtp-failure.ts',
    search: "if (code < 500) return 'deferred'",
    replace: "if (code < 450) return 'deferred'",
    tests: ['mail-smtp/test/smtp-failure.test.ts'],
  },
]

const keys: readonly Defect[] = [
  {
    what: 'a connection is opened again because its secrets were sealed anew',
    file: 'core/src/actions/connections/connection-secrets.ts',
    search: 'return revision ?? ',
    replace: 'return ',
    tests: ['core/test/spec/rotate-secrets.test.ts'],
    only: 'requests run meanwhile',
  },
  {
    what: 'an old key can be taken out before everything was sealed anew',
    file: 'core/src/actions/secret-rotation.ts',
    search: "kind === 'serviceKey' ? page",
    replace: "kind !== 'serviceKey' ? page",
    tests: ['core/test/spec/rotate-secrets.test.ts'],
    only: 'cut off',
  },
  {
    what: 'a row that a rotation overtook is left under the old key',
    file: 'core/src/actions/secret-rotation.ts',
    search: '      row = await table.get(id)\n      return undefined',
    replace: '      return judged',
    tests: ['core/test/spec/rotate-secrets.test.ts'],
    only: 'read again',
  },
  {
    what: 'a process goes on although others seal with a key that it lacks',
    file: 'core/src/actions/key-check.ts',
    search: "held === '' || held !== known",
    replace: 'known === undefined',
    tests: ['core/test/spec/keys-in-use.test.ts'],
    only: 'without a key that others',
  },
  {
    what: 'packages lie in a temporary folder beside a storage that outlives the process',
    file: 'core/src/options.ts',
    search: 'read.storage.outlivesProcess !== false',
    replace: 'read.storage.outlivesProcess === true',
    tests: ['core/src/options.test.ts'],
    only: 'end with the process',
  },
  {
    what: 'a key server that is away makes a sealed value look lost',
    file: 'core/src/actions/connections/connection-secrets.ts',
    search: "cause.code !== 'internal'",
    replace: "cause.code === 'gone'",
    tests: ['core/src/actions/connections/connection-secrets.test.ts'],
    only: 'key server',
  },
  {
    what: 'another spelling of a ciphertext opens',
    file: 'secrets-transit/src/transit-secrets.ts',
    search: "|| base64(Buffer.from(encoded, 'base64')) !== encoded",
    replace: '',
    tests: ['secrets-transit/test/transit-secrets.test.ts'],
    only: 'another spelling',
  },
]

const http: readonly Defect[] = [
  {
    what: 'a parameter that is given twice counts once',
    file: 'http/src/read-client-form.ts',
    search: 'if (texts.length > 1) throw',
    replace: 'if (texts.length > 2) throw',
    tests: ['http/test/handler.test.ts'],
    only: 'token endpoint',
  },
  {
    what: 'a body of no announced length may be of any length',
    file: 'http/src/read-bytes.ts',
    search: 'if (size > limit) throw',
    replace: 'if (size > 100 * limit) throw',
    tests: ['http/test/bad-input-sizes.test.ts'],
  },
  {
    what: 'a body may be nested without end',
    file: 'http/src/read-json.ts',
    search: 'if (loc.length > deepest)',
    replace: 'if (loc.length > 1_000 * deepest)',
    tests: ['http/test/bad-input-values.test.ts', 'http/test/bad-input-bodies.test.ts'],
  },
]

const pages: readonly Defect[] = [
  {
    what: 'the name of a system ends the script of the page',
    file: 'map-html/src/picture/json-text.ts',
    search: '/[<>&\\u2028\\u2029]/g',
    replace: '/[&\\u2028\\u2029]/g',
    tests: ['map-html/test/pages.test.ts'],
    only: 'becoming markup',
  },
  {
    what: 'a filter mixes two declarations of a system',
    file: 'map-html/src/view/shown-nodes.ts',
    search:
      'facets.some((facet) => choices.every((choice, at) => choice === undefined || facet[at]?.includes(choice)))',
    replace:
      'choices.every((choice, at) => choice === undefined || facets.some((facet) => facet[at]?.includes(choice)))',
    tests: ['map-html/src/view/shown-nodes.test.ts'],
  },
]

export const defects: readonly Defect[] = [...rules, ...execution, ...actions, ...adapters, ...keys, ...http, ...pages]
