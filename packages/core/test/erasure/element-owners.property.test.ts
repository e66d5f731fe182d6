import type { Value } from '@habeas/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { collection, field } from '../engine/described.js'
import { from, key, shopWorld, tableWith } from './described-erasure.js'

/*
 * Random posts with comments and replies inside of them, described in full. An account of its own, in plain loops, says what
 * of a post is whose: the post is its author's, a comment or a reply is that of whom it names, unless it is addressed to
 * somebody else. What names nobody belongs to nobody. Votes lie in a second list, and a single comment may stand where others
 * have a list. Sections have no owner: they are those of the post around them, and the notes in them are not. The row of the fourth person may hold the address of another one as well. Then it is both people's, and so is
 * what it owns: either gets it, and an erasure leaves it, unless shared rows are erased.
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
  readonly sections: readonly { readonly text: string; readonly notes: readonly Reply[] }[]
  /** A single comment stands without a list around it. */
  readonly lone: boolean
}

const person = fc.option(fc.integer({ min: 1, max: 4 }), { freq: 6 })
const reply = fc.record({ by: person, text: fc.constant('reply') })
const comment = fc.record(
  { by: person, to: person, text: fc.constant('comment'), replies: fc.array(reply, { maxLength: 3 }) },
  { requiredKeys: ['by', 'text', 'replies'] },
)
const post = fc.record({
  author: person,
  comments: fc.array(comment, { maxLength: 4 }),
  votes: fc.array(fc.record({ by: person, text: fc.constant('vote') }), { maxLength: 3 }),
  sections: fc.array(fc.record({ text: fc.constant('section'), notes: fc.array(reply, { maxLength: 2 }) }), {
    maxLength: 2,
  }),
  lone: fc.boolean(),
})
const world = fc.record({
  posts: fc.array(post, { maxLength: 4 }),
  erase: fc.constantFrom('mask', 'delete'),
  onShared: fc.constantFrom('retain', 'erase'),
  owner: fc.boolean(),
  second: fc.option(fc.integer({ min: 1, max: 3 })),
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

/** The rows of people that are a person's alone, and those that are theirs and another's. */
const rowsOfPeople = (who: number, second: number | null) => {
  const isShared = second !== null && (who === 4 || who === second)
  return { alone: who === 4 && isShared ? [] : [who], all: isShared && who !== 4 ? [who, 4] : [who] }
}

const isTheirs = (theirs: readonly number[], { by, to = null }: { by: number | null; to?: number | null }) => {
  const named = [by, to].filter((each) => each !== null)
  return named.length > 0 && named.every((each) => theirs.includes(each))
}

/** Comments as the post holds them. */
const stored = ({ comments, lone }: Post, list: readonly object[] = comments) =>
  lone && comments.length === 1 ? list[0] : list

/** What a person gets of the posts. Elements with nothing left are left out, and so are such posts. */
function due(who: readonly number[], posts: readonly Post[]): object[] {
  return posts.flatMap((post, at) => {
    const got = post.comments.flatMap((each): object[] => {
      const replies = each.replies.filter((reply) => isTheirs(who, reply)).map(({ text }) => ({ text }))
      const left = replies.length > 0 && { replies }
      if (isTheirs(who, each)) return [{ text: each.text, ...left }]
      return left ? [left] : []
    })
    const votes = post.votes.filter((vote) => isTheirs(who, vote)).map(({ text }) => ({ text }))
    const isOwn = isTheirs(who, { by: post.author })
    const sections = post.sections.flatMap(({ text, notes }): object[] => {
      const found = notes.filter((note) => isTheirs(who, note)).map(({ text }) => ({ text }))
      const left = found.length > 0 && { notes: found }
      return isOwn ? [{ text, ...left }] : left ? [left] : []
    })
    const parts = {
      ...(isOwn && { title: `post ${at}` }),
      ...(got.length > 0 && { comments: stored(post, got) }),
      ...(votes.length > 0 && { votes }),
      ...(sections.length > 0 && { sections }),
    }
    return Object.keys(parts).length > 0 ? [parts] : []
  })
}

/** The posts after the erasure of a person: what is masked is `erased` people's, and `alone` says what may be deleted. */
function left(alone: readonly number[], erased: readonly number[], posts: readonly Post[], erase: string): object[] {
  const own = (each: Reply) => (isTheirs(erased, each) ? { ...each, text: null } : each)
  const isAnothers = (each: Reply) => !isTheirs(alone, each)
  return posts.flatMap((post, at) => {
    const { author, comments, votes, sections } = post
    const isOthers =
      !isTheirs(alone, { by: author }) ||
      votes.some(isAnothers) ||
      sections.some(({ notes }) => notes.some(isAnothers)) ||
      comments.some((each) => isAnothers(each) || each.replies.some(isAnothers))
    const rest = comments.map((each) => ({ ...own(each), replies: each.replies.map(own) }))
    const isGone = isTheirs(erased, { by: author })
    const parts = sections.map(({ text, notes }) => ({ text: isGone ? null : text, notes: notes.map(own) }))
    const title = isGone ? null : `post ${at}`
    const kept = { id: at + 1, author, title, comments: stored(post, rest), votes: votes.map(own), sections: parts }
    return erase === 'delete' && !isOthers ? [] : [kept]
  })
}

it('posts, comments and replies: everybody has their own delivered and erased, and nothing of anybody else', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(world, fc.integer({ min: 1, max: 4 }), async ({ posts, erase, onShared, owner, second }, who) => {
      const { alone, all } = rowsOfPeople(who, second)
      const rows = posts.map((each, at): Value[] => {
        return [at + 1, each.author, `post ${at}`, stored(each) as never, each.votes as never, each.sections as never]
      })
      const reactions = posts.map((_, at): Value[] => [at + 1, at + 1, 'reaction'])
      await using shop = await shopWorld({
        capabilities: { nestedFields: true },
        database: {
          people: tableWith({ id: 'integer', email: 'string', second: 'string' }, [
            [1, '1@example.com', null],
            [2, '2@example.com', null],
            [3, '3@example.com', null],
            [4, '4@example.com', second && `${second}@example.com`],
          ]),
          posts: tableWith(
            {
              id: 'integer',
              author: 'integer',
              title: 'string',
              comments: 'object',
              votes: 'object',
              sections: 'object',
            },
            rows,
          ),
          reactions: tableWith({ id: 'integer', post: 'integer', text: 'string' }, reactions),
        },
        collections: [
          collection('people', [key, field('email', { identity: 'email' }), field('second', { identity: 'email' })]),
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
              list('sections', [text('text'), list('notes', [toPeople('by'), text('text')])]),
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
      const theirs = posts.flatMap(({ author }) => (isTheirs(all, { by: author }) ? [{ text: 'reaction' }] : []))
      expect(got['shop:posts'] ?? []).toEqual(due(all, posts))
      expect(got['shop:reactions'] ?? []).toEqual(theirs)
      expect(shop.rows()['posts']).toEqual(left(alone, onShared === 'erase' ? all : alone, posts, erase))
      expect(shop.rows()['reactions']?.map(({ text }) => text)).toEqual(
        posts.map(({ author }) => (isTheirs(alone, { by: author }) ? null : 'reaction')),
      )
    }),
    {
      numRuns: Number(process.env['HABEAS_RUNS'] ?? 100),
      ...(process.env['HABEAS_SEED'] && { seed: Number(process.env['HABEAS_SEED']) }),
    },
  )
})
