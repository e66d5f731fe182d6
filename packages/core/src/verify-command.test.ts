import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { evidenceKey, signEvidence } from './crypto/sign-evidence.js'
import type { Evidence } from './model/evidence.js'
import { verifyEvidence } from './results/proof/verify-evidence.js'
import { createPrivacyService } from './service.js'
import { verifyCommand } from './verify-command.js'

const folder = mkdtempSync(join(tmpdir(), 'habeas-evidence-'))
let evidence: Evidence
let key: string
let file: string

function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

beforeAll(async () => {
  const privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 3).toString('base64'),
    execution: { immediate: false },
  })
  const identity = { email: 'ann@example.org' }
  const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identity })
  evidence = await privacy.requests.exportEvidence(id)
  key = await privacy.requests.evidenceKey()
  file = fileOf('good.json', JSON.stringify(evidence))
  await privacy.close()
})
afterAll(() => rmSync(folder, { recursive: true }))

it('says that evidence holds, and names its key', () => {
  const { code, output } = verifyCommand([file, '--key', key])
  expect(code).toBe(0)
  expect(output).toContain(`Request      ${evidence.request.id}`)
  expect(output).toContain('OK       The evidence holds.')
  expect(output).not.toMatch(/PROBLEM|not compared/)
  expect(verifyCommand([file])).toMatchObject({ code: 0, output: expect.stringContaining('(not compared)') })
  const other = verifyCommand(['--key', evidenceKey(new Uint8Array(32)), file])
  expect(other).toMatchObject({ code: 1, output: expect.stringContaining('PROBLEM  It was signed by another key') })
})

it('takes a key that begins like an option', () => {
  const seeds = Array.from({ length: 256 }, (_, at) => new Uint8Array(32).fill(at))
  const seed = seeds.find((each) => evidenceKey(each).startsWith('-')) as Uint8Array
  const { signature: _, ...content } = evidence
  const signed = fileOf('dash.json', JSON.stringify(signEvidence(content, seed)))
  const dashed = evidenceKey(seed)
  for (const given of [
    [signed, '--key', dashed],
    ['--key', dashed, signed],
    [`--key=${dashed}`, signed],
  ]) {
    expect(verifyCommand(given)).toMatchObject({ code: 0, output: expect.stringContaining(`Signed by    ${dashed}\n`) })
  }
})

it('says what is wrong, and moves no cursor', () => {
  const changed = { ...evidence, request: { ...evidence.request, status: '\u001b[2J' } }
  const { code, output } = verifyCommand([fileOf('changed.json', JSON.stringify(changed))])
  expect(code).toBe(1)
  expect(output).toContain('FAILED   The evidence does not hold.')
  expect(output).not.toContain('\u001b')
})

it('is a command, in a clone that was never built as well', () => {
  const command = fileURLToPath(new URL('../bin/habeas-verify.js', import.meta.url))
  const { status, stdout } = spawnSync(process.execPath, [command, file, '--key', key], { encoding: 'utf8' })
  expect([status, stdout]).toEqual([0, expect.stringContaining('OK       The evidence holds.')])
})

it('skips a byte order mark', () => {
  expect(verifyCommand([fileOf('marked.json', `\uFEFF${JSON.stringify(evidence)}`), '--key', key]).code).toBe(0)
})

it('refuses a file that two readers would read in two ways', () => {
  const text = JSON.stringify(evidence)
  const doubled = text.replace('"request":{', '"request":{"status":"denied",')
  const hidden = text.replace('"detail":{', '"detail":{"__proto__":{},')
  const beside = text.replace('"signature":{', '"signature":{"__proto__":[],')
  for (const [name, content, why] of [
    ['doubled.json', doubled, 'at request.status, there is more than one member of this name'],
    ['hidden.json', hidden, 'at audit[0].detail.__proto__, no member may have this name'],
    [
      'signature.json',
      text.replace('"signature":{', '"signature":{"__proto__":[],'),
      'at signature.__proto__, no member',
    ],
    ['escape.json', `{"\\u001b[2J":1,${text.slice(1, -1)},"\\u001b[2J":1}`, 'at ["\\u001b[2J"], there is'],
    ['control.json', `{"\u009b2J":1,"\u009b2J":1}`, 'at [" 2J"], there is'],
  ] as const) {
    const path = fileOf(name, content)
    const { code, output } = verifyCommand([path, '--key', key])
    expect(code).toBe(1)
    expect(output).toContain(`FAILED  '${path}' cannot be checked: it can be read in more than one way: ${why}`)
    for (const never of ['denied', 'OK  ', '\u001b', '\u009b']) expect(output).not.toContain(never)
    // JSON.parse makes of the first text the very bundle that was signed
    const verdict = verifyEvidence(content, { key })
    expect(verdict).toMatchObject({ ok: false, problems: [expect.stringContaining(why.replace(' 2J', '\u009b2J'))] })
  }
  expect(verifyEvidence(JSON.parse(doubled), { key }).ok).toBe(true)
  expect(verifyEvidence(text, { key }).ok).toBe(true)
  for (const each of [hidden, beside]) expect(verifyEvidence(JSON.parse(each), { key }).ok).toBe(false)
})

it('names a file that it cannot read', () => {
  const large = fileOf('large.json', '')
  truncateSync(large, 2 ** 32)
  const inner = join(folder, 'inner')
  mkdirSync(inner)
  for (const [path, why] of [
    [fileOf('broken.json', '{'), 'it is not JSON in UTF-8'],
    [fileOf('followed.json', `${JSON.stringify(evidence)} {}`), 'it is not JSON in UTF-8'],
    [fileOf('latin.json', Buffer.from(JSON.stringify({ a: 'ä' }), 'latin1')), 'it is not JSON in UTF-8'],
    [join(folder, 'none'), 'there is no such file'],
    [join(file, 'none'), 'there is no such file'],
    [inner, 'it is a directory'],
    [large, 'it is too large'],
    ['a\0b', 'it cannot be read'],
  ] as const) {
    expect(verifyCommand([path])).toEqual({ code: 1, output: `FAILED  '${path}' cannot be checked: ${why}.\n` })
  }
})

it('prints its usage, and the error in the arguments', () => {
  for (const [given, why] of [
    [[], /^There is no FILE among the arguments\.\n\nUsage:/],
    [['--key', 'x'], /^There is no FILE/],
    [['a', 'b'], /^There is more than one FILE/],
    [['--unknown', 'a'], /^Unknown option '--unknown'.*\n\nUsage:/],
    [['a', '--key'], /^Option '--key <value>' argument missing\n\nUsage:/],
    [['--help'], /^Usage: habeas-verify FILE/],
  ] as const) {
    expect(verifyCommand(given)).toEqual({ code: 1, output: expect.stringMatching(why) })
  }
})
