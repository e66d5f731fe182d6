import { describe, expect, it } from 'vitest'
import { proposed, staff, table, users } from '../../../test/fixtures/drafted-tables.js'
import { draftDataset } from './draft-dataset.js'

describe('directions', () => {
  it('say none for a person who worked on a row, in one table with its customer or for a customer', () => {
    const found = proposed(
      users,
      staff,
      'orders(id!, user_id>users, handled_by?>staff, approver_id?>staff)',
      'customers(id!, email, last_name, support_rep_id?>staff)',
    )
    expect(found).toMatchObject({ 'orders.handled_by:none': 0.95, 'orders.approver_id:none': 0.95 })
    expect(found).toMatchObject({ 'customers.support_rep_id:none': 0.95, 'orders.user_id:from': 0.85 })
  })

  it.each(
    'created_by submitted_by filed_by opened_by paid_by applied_by requested_by reviewer_id geprueft_von'.split(' '),
  )('leave a row that names only %s to a person', (name) => {
    const none = `notes.${name}:none`
    const teams = 'teams(id!)'
    expect(proposed(users, `notes(id!, ${name}>users)`)[none]).toBeLessThan(0.8)
    expect(proposed(users, `notes(id!, ${name}?>users)`)[none]).toBeLessThan(0.8)
    expect(proposed(users, teams, `notes(id!, team_id>teams, ${name}>users)`)[none]).toBeLessThan(0.8)
    // The other person may be missing. Then the row would be hidden.
    expect(proposed(users, `notes(id!, ${name}>users, against?>users)`)[none]).toBeLessThan(0.8)
    expect(proposed(users, `notes(id!, ${name}>users, user_id>users)`)[none]).toBe(0.95)
    // Both may be missing, and a maker only mostly made the row for somebody else.
    const both = proposed(users, `notes(id!, ${name}?>users, user_id?>users)`)[none]
    if (name === 'created_by') expect(both).toBe(0.95)
    else expect(both).toBeLessThan(0.8)
  })

  it('take a pair that may name somebody for an owner only besides a maker column', () => {
    const found = proposed(users, 'claims(id!, owner_kind, owner_id, filed_by>users, created_by>users)')
    expect(found).toMatchObject({ 'claims.filed_by:none': 0.75, 'claims.created_by:none': 0.95 })
  })

  it('say none for the maker of a row that must belong to something else, and for a later editor besides a maker', () => {
    const found = proposed(
      users,
      'teams(id!)',
      'orders(id!, user_id>users)',
      'notes(id!, team_id>teams, created_by?>users)',
      'lines(id!, order_id>orders, handled_by?>users)',
      'pages(id!, created_by>users, updated_by>users)',
      'steps(id!, replaced_by?>steps)',
    )
    expect(found).toMatchObject({
      'notes.created_by:none': 0.95,
      'lines.handled_by:none': 0.95,
      'pages.updated_by:none': 0.95,
      'steps.replaced_by:none': 0.95,
    })
    expect(found['pages.created_by:none']).toBeLessThan(0.8)
  })

  it.each('merged_into_id duplicate_of replaced_by canonical_id primary_account_id dublette_von'.split(' '))(
    'ask whether two rows are the same person: %s',
    (name) => {
      const found = proposed(`customers(id!, email, last_name, ${name}?>customers, parent_id?>customers)`)
      expect(found).not.toHaveProperty(`customers.${name}:none`)
      expect(found[`customers.${name}:both`]).toBeLessThan(0.8)
      expect(found['customers.parent_id:none']).toBe(0.85)
    },
  )

  it('treat the papers of a driver as the driver’s', () => {
    const found = proposed('drivers(id!, first_name, email)', 'driver_papers(id!, driver_id>drivers)')
    expect(found).not.toHaveProperty('driver_papers.driver_id:none')
    expect(found).toHaveProperty('driver_papers.driver_id:from')
  })

  it('say none towards tables that belong to many, whose rows belong to nobody', () => {
    const found = proposed(
      users,
      'organizations(id!, owner_id?>users, manager_id>users)',
      'teams(id!, organization_id>organizations)',
      'documents(id!, user_id>users, team_id?>teams)',
      'org_settings(id!, organization_id>organizations, updated_by?>users)',
    )
    expect(found).toMatchObject({
      'organizations:owner': 0.95,
      'teams:owner': 0.95,
      'org_settings:owner': 0.95,
      'documents.team_id:none': 0.95,
    })
    expect(found).not.toHaveProperty('organizations.owner_id:from')
    expect(found).not.toHaveProperty('org_settings.organization_id:none')
  })

  it.each([
    'shop(id!, owner_id>>users, phone, iban, email)',
    'seller_store(id!, seller_id>users)',
    'company(id!, user_id>users)',
    'home_office(id!, member?>>users)',
    'my_business(id!, registered_by>users)',
  ])('leave to a person whether a business belongs to one user: %s', (text) => {
    const found = proposed(users, text, `orders(id!, user_id>users, part_id?>${text.split('(')[0]})`)
    expect(found[`${text.split('(')[0]}:owner`]).toBeLessThan(0.8)
    expect(found['orders.part_id:none']).toBeLessThan(0.8)
  })

  it('leave to a person a table that may belong to one user', () => {
    const found = proposed(
      users,
      'projects(id!, user_id>users)',
      'tasks(id!, project_id>projects)',
      'notification_settings(id!, user_id>users)',
    )
    expect(found['projects:owner']).toBeLessThan(0.8)
    expect(found['tasks.project_id:none']).toBeLessThan(0.8)
    expect(found).toHaveProperty('projects.user_id:from')
    expect(found).not.toHaveProperty('notification_settings:owner')
    expect(found).toHaveProperty('notification_settings.user_id:from')
  })

  it('say none for the article a comment is on, but only where the comment names somebody', () => {
    const posts = 'posts(id!, author_id>users)'
    const comments = 'comments(id!, post_id>posts, author_id>users, parent_id?>comments)'
    const found = proposed(users, posts, comments, 'images(id!, post_id>posts)', 'clips(id!, post_id?>~posts)')
    expect(found).toMatchObject({
      'comments.post_id:none': 0.93,
      'comments.parent_id:none': 0.85,
      'images.post_id:from': 0.85,
      'clips.post_id:none': 0.95,
    })
  })

  it('say to for addresses and profiles only, and none where these name a person themselves', () => {
    const found = proposed(
      'addresses(id!, street, city)',
      'places(id!, street, city)',
      'countries(id!, country)',
      'users(id!, email, first_name, address_id?>addresses, place_id?>places, country_id>countries)',
      'profiles(id!, user_id>users, bio)',
      'orders(id!, user_id>users, profile_id?>profiles)',
    )
    expect(found).toMatchObject({
      'users.address_id:to': 0.95,
      'users.country_id:none': 0.95,
      'orders.profile_id:none': 0.85,
    })
    expect(found['users.place_id:none']).toBeLessThan(0.8)
  })

  it('never say to into a collection that looks like people', () => {
    const found = proposed('addresses(id!, first_name, last_name, phone, street)', 'orders(id!, address_id>addresses)')
    expect(Object.keys(found).filter((id) => id.endsWith(':to'))).toEqual([])
  })

  it.each([
    ['may be null', 'orders(id!, user_id?>users)'],
    ['SET NULL', 'orders(id!, user_id>~users)'],
    ['with an e-mail address in the row', 'orders(id!, user_id?>users, email)'],
    ['with a parent row', 'carts(id!, user_id>users)|orders(id!, user_id>users, cart_id>carts)'],
    ['with another person', 'orders(id!, user_id>users, owner_id>users)'],
    ['a person itself', 'orders(id!, user_id>users, first_name, email)'],
  ])('doubt from: %s', (_, tables) => {
    expect(proposed(users, ...tables.split('|'))['orders.user_id:from']).toBeLessThan(0.8)
  })

  it('say from for both sides of a shared row', () => {
    const found = proposed(users, 'messages(id!, sender_id>users, recipient_id>users)')
    expect(found).toMatchObject({ 'messages.sender_id:from': 0.75, 'messages.recipient_id:from': 0.75 })
  })

  it('say both where addresses in other tables identify people', () => {
    const found = proposed('users(id!, first_name)', 'emails(id!, email*, user_id>>users)')
    expect(found).toMatchObject({ 'emails.user_id:both': 0.7, 'emails.email:identity': 0.8 })
    // This name ends like that of a table of addresses.
    const addresses = proposed('users(id!, first_name)', 'email_address(id!, email_address, user_id>users)')
    expect(addresses).toMatchObject({
      'email_address.user_id:both': 0.7,
      'email_address.email_address:identity': 0.8,
    })
  })

  it('say both where a table is one of channels, even if people hold contact data themselves', () => {
    const found = proposed(users, 'communication_channels(id!, user_id?>users, kind, email?, phone?)')
    expect(found).toMatchObject({
      'communication_channels.user_id:both': 0.7,
      'communication_channels.email:identity': 0.8,
      'communication_channels.phone:identity': 0.8,
    })
    expect(found).not.toHaveProperty('communication_channels.user_id:from')
    const named = proposed(
      users,
      'communication_channels(id!, user_id>users, path)',
      'emails(id!, user_id>users, body)',
    )
    expect(named).toMatchObject({ 'communication_channels.user_id:both': 0.7, 'emails.user_id:from': 0.85 })
  })

  it('leave the person who accepted an invitation to a person', () => {
    const found = proposed(users, 'invitations(id!, email, invited_by_id>users, accepted_by_id?>users)')
    expect(found['invitations.accepted_by_id:none']).toBeLessThan(0.8)
    // No other column must name a person, so the invitation may belong to its maker.
    expect(found['invitations.invited_by_id:none']).toBeLessThan(0.8)
  })

  it('are one for a key over several columns', () => {
    const lines = table('lines(order_id!, line!)')
    const returns = table('returns(id!, order_id, line)')
    const key = { name: 'of_line', columns: ['order_id', 'line'] }
    const foreign = { ...key, references: { collection: 'lines', columns: ['order_id', 'line'] } }
    const { proposals } = draftDataset(
      {
        collections: [
          table(users),
          table('orders(id!, user_id>users)'),
          { ...lines, foreignKeys: table('lines(order_id>orders)').foreignKeys },
          { ...returns, foreignKeys: [{ ...foreign, onDelete: 'cascade' }] },
        ],
      },
      { key: 'shop' },
    )
    expect(proposals).toContainEqual({
      id: 'returns.order_id+line:from',
      kind: 'direction',
      collection: 'returns',
      field: 'order_id',
      references: { dataset: 'shop', field: 'lines.order_id', group: 'of_line' },
      direction: 'from',
      confidence: 0.85,
      reason: expect.stringContaining("'lines'"),
    })
  })
})
