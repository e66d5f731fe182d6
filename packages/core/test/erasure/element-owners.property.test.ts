import type { Value } from '@habeas/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { collection, field } from '../engine/described.js'
import { from, key, shopWorld, tableWith } from './described-erasure.js'

/*
 * Random posts with comments and replies inside of them, described in full. An account of its own, in plain loops, says what
 * of a post is whose: the post is its author's, a comment or a reply is that of whom it names, unless it is addressed to
 * somebody else. What names nobody belongs to nobody. Votes lie in a second list, and a single comment may stand where others
 * have a list.
 */

interface Reply {
  readonly by: number | null
  readonly text: string
}
interface Comment extends Reply {
  readonly to?: number | null
  readonly replies: readonly Reply[]
}
interface Post {
  readonly author: number | null
  readonly comments: readonly Comment[]
  readonly votes: readonly Reply[]
  /** A single comment stands without a list around it. */
  readonly lone: boolean
}

const person = fc.option(fc.integer({ min: 1, max: 3 }), { freq: 6 })
const reply = fc.record({ by: person, text: fc.constant('reply') })
const comment = fc.record(
  { by: person, to: person, text: fc.constant('comment'), replies: fc.array(reply, { maxLength: 3 }) },
  { requiredKeys: ['by', 'text', 'replies'] },
)
const post = fc.record({
  author: person,
  comments: fc.array(comment, { maxLength: 4 }),
  votes: fc.array(fc.record({ by: person, text: fc.constant('vote') }), { maxLength: 3 }),
  lone: fc.boolean(),
})
const world = fc.record({
  posts: fc.array(post, { maxLength: 4 }),
  erase: fc.constantFrom('mask', 'delete'),
  onShared: fc.constantFrom('retain', 'erase'),
  owner: fc.boolean(),
})

const category = { data_categories: { matches: 'ANY', values: ['user'] } }
const rules = [
  { service_key: 'copy', action_type: 'access', ...category },
  { service_key: 'all', action_type: 'erasure', ...category },
]
const text = (name: string) => field(name, { data_type: 'string' })
const toPeople = (name: string) =>
  field(name, { data_type: 'integer', references: [{ dataset: 'shop', field: 'people.id', direction: 'from' }] }, [])
const list = (name: string, fields: object[]) => field(name, { data_type: 'object[]' }, [], fields)

const isTheirs = (who: number, { by, to = null }: { by: number | null; to?: number | null }) =>
  by === null ? to === who : by === who && (to === null || to === who)

/** Comments as the post holds them. */
const stored = ({ comments, lone }: Post, list: readonly object[] = comments) =>
  lone && comments.length === 1 ? list[0] : list

/** What a person gets of the posts. Elements with nothing left are left out, and so are such posts. */
function due(who: number, posts: readonly Post[]): object[] {
  return posts.flatMap((post, at) => {
    const got = post.comments.flatMap((each): object[] => {
      const replies = each.replies.filter(({ by }) => by === who).map(({ text }) => ({ text }))
      const left = replies.length > 0 && { replies }
      if (isTheirs(who, each)) return [{ text: each.text, ...left }]
      return left ? [left] : []
    })
    const votes = post.votes.filter(({ by }) => by === who).map(({ text }) => ({ text }))
    const parts = {
      ...(post.author === who && { title: `post ${at}` }),
      ...(got.length > 0 && { comments: stored(post, got) }),
      ...(votes.length > 0 && { votes }),
    }
    return Object.keys(parts).length > 0 ? [parts] : []
  })
}

/** The posts after the erasure of a person. */
function left(who: number, posts: readonly Post[], erase: string): object[] {
  const own = (each: Reply) => (each.by === who ? { ...each, text: null } : each)
  return posts.flatMap((post, at) => {
    const { author, comments, votes } = post
    let isOthers = author !== who || votes.some(({ by }) => by !== who)
    const rest = comments.map((each) => {
      const isOwn = isTheirs(who, each)
      if (!isOwn || each.replies.some(({ by }) => by !== who)) isOthers = true
      return { ...each, text: isOwn ? null : each.text, replies: each.replies.map(own) }
    })
    const title = author === who ? null : `post ${at}`
    const kept = { id: at + 1, author, title, comments: stored(post, rest), votes: votes.map(own) }
    return erase === 'delete' && !isOthers ? [] : [kept]
  })
}

it('posts, comments and replies: everybody has their own delivered and erased, and nothing of anybody else', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(world, fc.integer({ min: 1, max: 3 }), async ({ posts, erase, onShared, owner }, who) => {
      const rows = posts.map((each, at): Value[] => {
        return [at + 1, each.author, `post ${at}`, stored(each) as never, each.votes as never]
      })
      const reactions = posts.map((_, at): Value[] => [at + 1, at + 1, 'reaction'])
      await using shop = await shopWorld({
        capabilities: { nestedFields: true },
        database: {
          people: tableWith({ id: 'integer', email: 'string' }, [
            [1, '1@example.com'],
            [2, '2@example.com'],
            [3, '3@example.com'],
          ]),
          posts: tableWith(
            { id: 'integer', author: 'integer', title: 'string', comments: 'object', votes: 'object' },
            rows,
          ),
          reactions: tableWith({ id: 'integer', post: 'integer', text: 'string' }, reactions),
        },
        collections: [
          collection('people', [key, field('email', { identity: 'email' })]),
          collection(
            'posts',
            [
              key,
              from('author', 'people.id'),
              text('title'),
              list('comments', [
                toPeople('by'),
                toPeople('to'),
                text('text'),
                list('replies', [toPeople('by'), text('text')]),
              ]),
              list('votes', [toPeople('by'), text('text')]),
            ],
            { erase, on_shared: onShared, ...(owner && { owner: ['author'] }) },
          ),
          collection('reactions', [key, from('post', 'posts.id'), text('text')]),
        ],
        rules,
      })
      const { requests } = shop.privacy
      const { id } = await requests.submit({ policyKey: 'erase', identities: [{ email: `${who}@example.com` }] })
      const end = await requests.settled(id)
      expect([end.status, end.failure]).toEqual(['complete', undefined])
      let copy = ''
      for await (const part of requests.readPackage(id)) copy += Buffer.from(part).toString()
      const got = JSON.parse(copy)
      const theirs = posts.flatMap(({ author }) => (author === who ? [{ text: 'reaction' }] : []))
      expect(got['shop:posts'] ?? []).toEqual(due(who, posts))
      expect(got['shop:reactions'] ?? []).toEqual(theirs)
      expect(shop.rows()['posts']).toEqual(left(who, posts, erase))
      expect(shop.rows()['reactions']?.map(({ text }) => text)).toEqual(
        posts.map(({ author }) => (author === who ? null : 'reaction')),
      )
    }),
    {
      numRuns: Number(process.env['HABEAS_RUNS'] ?? 100),
      ...(process.env['HABEAS_SEED'] && { seed: Number(process.env['HABEAS_SEED']) }),
    },
  )
})
