import { isUtf8 } from 'node:buffer'
import { readFileSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { isPrivacyError } from './errors.js'
import { parseStrictJson } from './results/proof/parse-strict-json.js'
import { type EvidenceVerdict, verifyEvidence } from './results/proof/verify-evidence.js'
import { counted } from './rules/value/counted-rows.js'

const usage = `Usage: habeas-verify FILE [--key KEY]

Checks the evidence of a privacy request, without the service that made it.
  --key KEY  the public key of the service, as requests.evidenceKey() returns it; evidence signed by another key is refused
`

/** No text in Node may be longer. */
const mostBytes = 2 ** 29 - 24

export interface CommandEnd {
  /** 0 when the evidence holds. */
  readonly code: 0 | 1
  readonly output: string
}

/** Runs `habeas-verify` with its arguments. */
export function verifyCommand(given: readonly string[]): CommandEnd {
  const read = readArguments(given)
  if (typeof read === 'string') return { code: 1, output: read }
  const failed = (why: string): CommandEnd => ({
    code: 1,
    output: `FAILED  '${read.file}' cannot be checked: ${withoutControls(why)}.\n`,
  })
  try {
    if (statSync(read.file).size > mostBytes) return failed('it is too large')
    const bytes = readFileSync(read.file)
    if (!isUtf8(bytes)) return failed(notJson)
    // A byte order mark, which some editors write, is not part of the text.
    const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
    const verdict = verifyEvidence(parseStrictJson(text), { key: read.key })
    return { code: verdict.ok ? 0 : 1, output: describe(verdict, read.key !== undefined) }
  } catch (error) {
    if (error instanceof SyntaxError) return failed(notJson)
    if (isPrivacyError(error)) return failed(error.message.replace(/^It/, 'it').replace(/\.$/, ''))
    return failed(unreadable[(error as { code?: string }).code ?? ''] ?? 'it cannot be read')
  }
}

const notJson = 'it is not JSON in UTF-8'

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'reading it is not permitted',
  EPERM: 'reading it is not permitted',
  EISDIR: 'it is a directory',
}

function readArguments(given: readonly string[]): { readonly file: string; readonly key?: string } | string {
  try {
    const options = { key: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const
    const { values, positionals } = parseArgs({ args: withKey(given), options, allowPositionals: true })
    const [file, ...others] = positionals
    if (values.help) return usage
    if (file === undefined) return `There is no FILE among the arguments.\n\n${usage}`
    if (others.length > 0) return `There is more than one FILE among the arguments.\n\n${usage}`
    return { file, ...(values.key !== undefined && { key: values.key }) }
  } catch (error) {
    return `${(error as Error).message}\n\n${usage}`
  }
}

/** One key in 64 begins with `-`, and would be taken for an option. */
function withKey(given: readonly string[]): string[] {
  const at = given.indexOf('--key')
  if (at === -1 || at === given.length - 1) return [...given]
  return [...given.slice(0, at), `--key=${given[at + 1]}`, ...given.slice(at + 2)]
}

function describe({ ok, problems, notes, evidence }: EvidenceVerdict, isPinned: boolean): string {
  const lines: string[] = []
  if (evidence) {
    const { request, audit, policy, receipt, exportedAt, signature } = evidence
    lines.push(
      `Request      ${request.id}`,
      `Status       ${request.status}`,
      `Policy       ${policy.key} (${policy.hash ?? 'not run yet'})`,
      `Audit trail  ${counted(audit.length, 'entry', 'entries')}, ${audit[0]?.createdAt} to ${audit.at(-1)?.createdAt}`,
      `Receipt      ${receipt ? `of ${receipt.finishedAt}` : 'none'}`,
      `Exported     ${exportedAt}`,
      `Signed by    ${signature.publicKey}${isPinned ? '' : ' (not compared)'}`,
      '',
    )
  }
  lines.push(...problems.map((problem) => `PROBLEM  ${problem}`), ...notes.map((note) => `NOTE     ${note}`))
  lines.push(ok ? 'OK       The evidence holds.' : 'FAILED   The evidence does not hold.')
  return `${lines.map(withoutControls).join('\n')}\n`
}

/** A bundle comes from elsewhere: nothing in it may move the cursor of a terminal. */
function withoutControls(line: string): string {
  return line.replace(/\p{Cc}/gu, ' ')
}
