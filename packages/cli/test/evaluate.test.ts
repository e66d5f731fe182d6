import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { commandFolder } from './command-folder.js'

const folder = commandFolder({
  'habeas.config.ts': `import { defineConfig } from '@habeas/cli'

export default defineConfig({})
`,
})
const evaluate = (...args: string[]) => folder.run(['evaluate', ...args])

const systems = `registry: [{ service_key: sales }, { service_key: support }]
system:
  - service_key: praxis
    system_type: Service
    registry_service_key: sales
    privacy_declarations:
      - { name: Letters, data_use: advertising, data_categories: [user.contact], data_subjects: [customer] }
`
const prohibition = (key: string, use: string) =>
  `policy: [{ service_key: ${key}, rules: [{ service_key: r, data_uses: { values: [${use}] } }] }]\n`

beforeEach(() => folder.write('habeas/system.yml', systems))

describe.each([
  ['where no policy prohibits anything', undefined],
  ['where one does', prohibition('no_training', 'train_ai_system')],
])('a key that nothing has, %s', (_, policy) => {
  beforeEach(() => {
    if (policy) folder.write('habeas/policy.yml', policy)
  })
  afterEach(() => {
    if (policy) folder.remove('habeas/policy.yml')
  })

  it.each([
    [['--system', 'praxxis'], "the nearest known name is 'praxis'"],
    [['--registry', 'sales', 'suport'], "the nearest known name is 'support'"],
    [['default_acess_policy'], "the nearest known name is 'default_access_policy'"],
  ])('is wrong usage, with the nearest one: %j', async (args, nearest) => {
    const { exitCode, stdout, stderr } = await evaluate(...args)
    expect(stderr).toContain(nearest)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  })
})

it('keys that are there change nothing where no policy prohibits anything', async () => {
  const { exitCode, stderr } = await evaluate('--system', 'praxis', '--registry', 'sales')
  expect(stderr).toContain('No policy prohibits anything')
  expect(exitCode).toBe(0)
})

describe('a registry', () => {
  beforeEach(() => folder.write('habeas/policy.yml', prohibition('no_ads', 'advertising')))

  it('whose system moved to another one turns no violation into a success', async () => {
    expect(await evaluate('no_ads', '--registry', 'sales')).toMatchObject({
      ...{ exitCode: 1, stdout: expect.stringMatching(/^FAIL no_ads\n/) },
    })
    folder.replace('habeas/system.yml', 'registry_service_key: sales', 'registry_service_key: support')
    const { exitCode, stdout, stderr } = await evaluate('no_ads', '--registry', 'sales')
    expect(stdout).toBe('INCOMPLETE no_ads\n')
    expect(stderr).toMatch(/^ {2}Registry 'sales' has no system, so nothing of it was evaluated: /m)
    expect(stderr).toContain('Nothing was evaluated, so a policy may be violated all the same.')
    expect(exitCode).toBe(1)
    const asJson = await evaluate('no_ads', '--registry', 'sales', '--json')
    expect(JSON.parse(asJson.stdout).evaluations).toMatchObject([{ violations: [], evaluated: { systems: [] } }])
    expect(asJson).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Nothing was evaluated') })
  })

  it('without systems is told beside another one that has some', async () => {
    folder.write('habeas/policy.yml', prohibition('no_ads', 'train_ai_system'))
    const { exitCode, stdout, stderr } = await evaluate('--registry', 'sales', 'support')
    expect(stdout).toBe('INCOMPLETE no_ads\n')
    expect(stderr).toContain('Not all that was asked for was evaluated')
    expect(exitCode).toBe(1)
    expect(await evaluate('--registry', 'sales')).toMatchObject({ exitCode: 0, stdout: 'PASS no_ads\n' })
  })

  it('is asked for nowhere, and there is no system at all', async () => {
    folder.write('habeas/system.yml', 'registry: [{ service_key: sales }]\n')
    expect(await evaluate()).toMatchObject({
      ...{ exitCode: 1, stdout: 'INCOMPLETE no_ads\n', stderr: expect.stringContaining('No system is described') },
    })
  })
})
