import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type EvidenceVerdict, verifyEvidence } from './results/evidence-check.js'

const usage = `Usage: habeas-verify FILE [--key KEY]

Checks the evidence of a privacy request, without the service that made it.
  --key KEY  the public key of the service, as requests.evidenceKey() says: what another key signed is refused
`

export interface CommandEnd {
  /** 0 when the evidence holds. */
  readonly code: 0 | 1
  readonly output: string
}

/** What `habeas-verify` does with its arguments. */
export function verifyCommand(given: readonly string[]): CommandEnd {
  const read = readArguments(given)
  if (typeof read === 'string') return { code: 1, output: read }
  try {
    const verdict = verifyEvidence(JSON.parse(readFileSync(read.file, 'utf8')), { key: read.key })
    return { code: verdict.ok ? 0 : 1, output: describe(verdict, read.key !== undefined) }
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is no JSON' : 'there is no such file, or it may not be read'
    return { code: 1, output: `FAILED  '${read.file}' cannot be checked: ${why}.\n` }
  }
}

function readArguments(given: readonly string[]): { readonly file: string; readonly key?: string } | string {
  try {
    const options = { key: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const
    const { values, positionals } = parseArgs({ args: [...given], options, allowPositionals: true })
    const [file, ...others] = positionals
    if (values.help || file === undefined || others.length > 0) return usage
    return { file, ...(values.key !== undefined && { key: values.key }) }
  } catch {
    return usage
  }
}

function describe({ ok, problems, notes, evidence }: EvidenceVerdict, isPinned: boolean): string {
  const lines: string[] = []
  if (evidence) {
    const { request, audit, policy, receipt, exportedAt, signature } = evidence
    lines.push(
      `Request      ${request.id}`,
      `Status       ${request.status}`,
      `Policy       ${policy.key} (${policy.hash ?? 'not run yet'})`,
      `Audit trail  ${audit.length} entries, ${audit[0]?.createdAt} to ${audit.at(-1)?.createdAt}`,
      `Receipt      ${receipt ? `of ${receipt.finishedAt}` : 'none'}`,
      `Exported     ${exportedAt}`,
      `Signed by    ${signature.publicKey}${isPinned ? '' : ' (not compared)'}`,
      '',
    )
  }
  lines.push(...problems.map((problem) => `PROBLEM  ${problem}`), ...notes.map((note) => `NOTE     ${note}`))
  lines.push(ok ? 'OK       The evidence holds.' : 'FAILED   The evidence does not hold.')
  // A bundle comes from elsewhere: nothing of it may move the cursor of a terminal.
  return `${lines.map((line) => line.replace(/\p{Cc}/gu, ' ')).join('\n')}\n`
}
