import { describe, expect, it } from 'vitest'
import { erasureWorld } from '../erasure/erasure-world.js'
import { collection, field, id, shopOf, table } from './described.js'
import { accessOf } from './service-run.js'

const ann = { email: 'ann@example.com' }
const member = field('hint', {}, [])

/** People with credentials that are declared, inherited, named, inside an object, and looked at. */
const shop = () =>
  shopOf(
    [
      {
        ...collection('customers', [
          id,
          field('email', { identity: 'email' }, []),
          field('name', {}, []),
          field('secret_word', {}, ['user.credentials']),
          field('pass_phrase', {}, ['user.credentials.password']),
          field('password_hash', {}, []),
          field('reset_token', {}, ['user.observed']),
          field('table_token', { reviewed: true }, []),
          field('login', { data_type: 'object' }, [], [field('api_key', { data_type: 'string' }, []), member]),
          field('vault', { data_type: 'object' }, ['user.credentials'], [field('note', {}, [])]),
        ]),
        data_categories: ['user'],
      },
    ],
    {
      customers: table(
        {
          id: 'integer',
          email: 'string',
          name: 'string',
          secret_word: 'string',
          pass_phrase: 'string',
          password_hash: 'string',
          reset_token: 'string',
          table_token: 'string',
          login: 'object',
          vault: 'object',
        },
        [
          [
            1,
            ann.email,
            'Ann',
            'word',
            'phrase',
            'hash',
            'token',
            'A7',
            { api_key: 'key', hint: 'dog' },
            { note: 'n' },
          ],
          [2, 'bob@example.com', 'Bob', 'w', 'p', 'h', 't', 'B8', { api_key: 'k', hint: 'h' }, { note: 'm' }],
        ],
      ),
    },
    { type: 'mongodb' },
  )

const delivered = async (...categories: string[]) => {
  const rules = categories.map((category, at) => ({
    service_key: `rule_${at}`,
    action_type: 'access',
    data_categories: { matches: 'ANY', values: [category] },
  }))
  const { rows, plan } = await accessOf([shop()], [ann], { policy: { service_key: 'hand_over', rules } })
  return { row: rows['shop:customers']?.[0], plan }
}

describe('credentials', () => {
  it('are neither read nor handed over to a person who asks for all personal data', async () => {
    const { row, plan } = await delivered('user')
    expect(row).toEqual({ id: 1, email: ann.email, name: 'Ann', table_token: 'A7', login: { hint: 'dog' } })
    const withheld = plan.findings.filter(({ type }) => type === 'credentials_withheld').map(({ loc }) => loc[2])
    expect(withheld.sort()).toEqual(
      ['login.api_key', 'pass_phrase', 'password_hash', 'reset_token', 'secret_word', 'vault', 'vault.note'].sort(),
    )
    const { columns = [] } = plan.collections.find(({ collection: name }) => name === 'customers') ?? {}
    for (const name of ['secret_word', 'pass_phrase', 'password_hash', 'reset_token', 'vault'])
      expect(columns).not.toContain(name)
  })

  it('are handed over by a rule that names exactly their category, and by none that names one above it', async () => {
    expect((await delivered('user.credentials')).row).toEqual({
      secret_word: 'word',
      vault: { note: 'n' },
    })
    expect((await delivered('user.credentials.password')).row).toEqual({ pass_phrase: 'phrase' })
  })

  it('are not handed over by a rule that names another category of theirs', async () => {
    expect((await delivered('user.observed')).row).toBeUndefined()
  })

  it('are erased by a rule that names a category above theirs', async () => {
    const { document, connector } = shop()
    await using world = await erasureWorld(connector, [document])
    expect(await world.erase(ann)).toMatchObject({ status: 'complete' })
    expect(connector.database['customers']?.rows[0]).toMatchObject({
      secret_word: null,
      pass_phrase: null,
      password_hash: null,
      reset_token: null,
      vault: null,
    })
    expect(connector.database['customers']?.rows[1]).toMatchObject({ secret_word: 'w', password_hash: 'h' })
  })
})
