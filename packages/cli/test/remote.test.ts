import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { servedShop } from './served-shop.js'
import { postgresShop, shopFiles, shopTables } from './shop.js'

const shop = postgresShop(shopFiles)
const { folder, query } = shop
const ann = ['--identity', 'email=ann@example.com']
let served: Awaited<ReturnType<typeof servedShop>>

beforeAll(async () => {
  await query(...shopTables)
  served = await servedShop(shop.url)
})
afterAll(() => served?.close())

/** Runs with the address as an option, and the client in the environment. */
const run = (...args: string[]) => folder.run([...args, '--url', served.address], { env: served.env })

describe('a service elsewhere', () => {
  it('wants a client from the environment', async () => {
    const { exitCode, stderr } = await folder.run(['plan', ...ann, '--url', served.address])
    expect(stderr).toContain('set HABEAS_CLIENT_ID and HABEAS_CLIENT_SECRET to one that the service has made')
    expect(exitCode).toBe(2)
  })

  it('refuses a client that it does not know, and the secret is told to nobody', async () => {
    const env = {
      HABEAS_CLIENT_ID: 'root',
      HABEAS_CLIENT_SECRET: 'planted',
      HABEAS_URL: served.address,
      HABEAS_DEBUG: '1',
    }
    const { exitCode, stdout, stderr } = await folder.run(['plan', ...ann], { env })
    expect(stdout + stderr).not.toContain('planted')
    expect(stderr).toMatch(/^error /)
    expect(exitCode).toBe(3)
  })

  it('that does not answer ends a command with 3', async () => {
    const { exitCode, stderr } = await folder.run(['datamap', '--url', 'http://127.0.0.1:1'], { env: served.env })
    expect(stderr).toMatch(/^error The service at http:\/\/127\.0\.0\.1:1 could not be reached/)
    expect(exitCode).toBe(3)
  })

  it('takes the files, checked before they are sent', async () => {
    const tried = await run('push', '--dry-run')
    expect(tried).toEqual({ exitCode: 0, stdout: '', stderr: 'Nothing was sent: --dry-run.\n' })
    expect((await served.privacy.datasets.list()).total).toBe(0)
    expect(await run('push')).toEqual({ exitCode: 0, stdout: '', stderr: 'Sent: 1 dataset.\n' })
    expect((await served.privacy.datasets.list()).items).toMatchObject([{ service_key: 'shop' }])
  })

  it('has nothing new: pull writes nothing', async () => {
    const before = folder.read('habeas/shop.yml')
    expect(await run('pull')).toEqual({ exitCode: 0, stdout: '', stderr: 'The files say what the service holds.\n' })
    expect(folder.read('habeas/shop.yml')).toBe(before)
  })

  it('has changed: pull writes that, and keeps the comments', async () => {
    const dataset = await served.privacy.datasets.get('shop')
    const [customer, ...others] = dataset.collections
    await served.privacy.datasets.put({
      ...dataset,
      collections: [{ ...customer, description: 'people who buy' }, ...others] as never,
    })
    const policy = {
      service_key: 'hand_over',
      rules: [{ service_key: 'all', action_type: 'access' as const, data_categories: { values: ['user'] } }],
    }
    await served.privacy.policies.put(policy)
    const { exitCode, stderr } = await run('pull')
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'Written: habeas/shop.yml\nWritten: habeas/policy.yml\n',
    })
    const after = folder.read('habeas/shop.yml')
    expect(after).toContain('description: people who buy')
    for (const comment of ['# who buys from us', '# one row each', '# by this we find people'])
      expect(after).toContain(comment)
    expect(folder.read('habeas/policy.yml')).toContain('service_key: hand_over')
    expect((await run('pull')).stderr).toBe('The files say what the service holds.\n')
  })

  it('plans, evaluates, and gives its data map', async () => {
    const planned = await run('plan', ...ann)
    expect(planned).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('by email ← identity email') })
    const evaluated = await run('evaluate')
    expect(evaluated).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('No policy prohibits anything') })
    const map = await run('datamap', '--output', 'map.csv')
    expect(map).toMatchObject({ exitCode: 0, stdout: '', stderr: expect.stringContaining('Written: map.csv') })
    expect(folder.read('map.csv')).toMatch(/^Organization,/)
  })

  it('keeps a hold, so that an erasure waits until it is released', async () => {
    const made = await run('holds', 'create', ...ann, '--reason', 'Case 12', '--reference', '12/2026')
    expect(made).toMatchObject({ exitCode: 0 })
    const id = made.stdout.trim()
    expect((await run('holds', 'list', '--status', 'active')).stdout).toBe(`${id}\tactive\t12/2026\tCase 12\n`)
    const held = await run('request', 'submit', ...ann, '-p', 'default_erasure_policy', '--yes')
    expect(held).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^(paused|denied|error|pending): /m) })
    expect(await query('select name from customer where id = 1')).toEqual([{ name: 'Ann Lee' }])
    expect((await run('holds', 'release', id)).stdout).toBe(`${id}\treleased\n`)
    const { holds } = JSON.parse((await run('holds', 'list', '--json')).stdout)
    expect(holds).toMatchObject([{ id, status: 'released' }])
  })

  it('takes a request, which is followed from elsewhere, and whose receipt and evidence are there for good', async () => {
    const submitted = await run(
      'request',
      'submit',
      '-i',
      'email=bob@example.com',
      '-p',
      'default_erasure_policy',
      '--yes',
      '--no-wait',
    )
    expect(submitted.exitCode, submitted.stderr).toBe(0)
    const id = submitted.stdout.trim()
    expect(id).toMatch(/^pri_\S+$/)
    expect(await run('request', 'watch', id)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Rows: 3 masked.'),
    })
    const receipt = await run('request', 'receipt', id, '--evidence', 'evidence.json')
    expect(receipt).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Erasure receipt') })
    expect(JSON.parse((await run('request', 'receipt', id, '--json')).stdout)).toMatchObject({ status: 'complete' })

    const key = await served.privacy.requests.evidenceKey()
    expect(receipt.stderr).toContain(`It is signed by the key ${key}: note it down`)
    const printed = await run('request', 'receipt', id, '--evidence', '-')
    expect(printed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`"publicKey":"${key}"`) })
    const good = await folder.run(['verify', 'evidence.json', '--key', key])
    expect(good).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^OK/m) })
    folder.replace('evidence.json', '"complete"', '"canceled"')
    const tampered = await folder.run(['verify', 'evidence.json', '--key', key])
    expect(tampered).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/^FAILED/m) })
  })

  it('names the file of what the service alone refuses', async () => {
    const config = folder.read('habeas.config.ts')
    folder.replace('habeas.config.ts', 'connections: {', "connections: {\n    away: { type: 'postgres' },")
    folder.write(
      'habeas/away.yml',
      'dataset:\n  - service_key: away\n    connection_key: away\n    collections: [{ name: a, fields: [{ name: b }] }]\n',
    )
    const { exitCode, stdout } = await run('push')
    folder.remove('habeas/away.yml')
    folder.write('habeas.config.ts', config)
    expect(stdout).toMatch(
      /^manifest habeas\/away\.yml: dataset\.0\.connection_key names a connection that does not exist/,
    )
    expect(exitCode).toBe(1)
  })

  it('refuses what it cannot take, with the file that says it', async () => {
    folder.write(
      'habeas/warehouse.yml',
      'dataset:\n  - service_key: warehouse\n    connection_key: nowhere\n    collections: []\n',
    )
    const { exitCode, stdout, stderr } = await run('push')
    folder.remove('habeas/warehouse.yml')
    expect(stdout).toMatch(
      /^manifest habeas\/warehouse\.yml:3:5: dataset\.\d+\.connection_key names a connection that does not exist/m,
    )
    expect(stderr).toContain('1 item is wrong.')
    expect(exitCode).toBe(1)
  })
})
