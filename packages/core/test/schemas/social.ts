import { type SampleSchema, sqlOf } from './sample-schema.js'

const members = `(select id from members where lower(email) = lower($1))`
const ofMembers = (table: string, key: string) => ({ own: `select ${key} from ${table} where member_id in ${members}` })

/** A network of people who have brought in each other: an invitation is the one's who was invited. */
export const social: SampleSchema = {
  name: 'social',
  sql: sqlOf('social'),
  people: [
    { who: 'ann@net.example', carries: 'likes of others for her posts' },
    { who: 'bob@net.example', carries: 'the like of ann for a post of his' },
    { who: 'carl@net.example', carries: 'the like of emil for a post of his' },
    { who: 'dora@net.example' },
    { who: 'emil@net.example', carries: 'the like of carl for a post of his' },
    { who: 'fred@post.example' },
  ],
  truth: {
    members: { own: `select id from members where lower(email) = lower($1)` },
    friendships: {
      own: `select id from friendships where requester_id in ${members} and addressee_id in ${members}`,
      shared: `select id from friendships where (requester_id in ${members}) <> (addressee_id in ${members})`,
    },
    invitations: {
      own: `select id from invitations
        where case when accepted_by_id is not null then accepted_by_id in ${members} else lower(email) = lower($1) end`,
    },
    group_memberships: ofMembers('group_memberships', 'group_id, member_id'),
    event_rsvps: ofMembers('event_rsvps', 'event_id, member_id'),
    posts: { own: `select id from posts where author_id in ${members}` },
    post_likes: ofMembers('post_likes', 'post_id, member_id'),
    mentions: ofMembers('mentions', 'post_id, member_id'),
    photos: ofMembers('photos', 'id'),
    // Who is seen on a photo is told of that one, whoever took it and whoever said so.
    photo_tags: ofMembers('photo_tags', 'photo_id, member_id'),
    member_interests: ofMembers('member_interests', 'member_id, interest_id'),
  },
  nobodys: ['events', 'groups', 'interests', 'member_directory'],
  answers: {
    asked: {
      'members.email': { identity: 'email' },
      'friendships.requester_id': { direction: 'from' },
      'friendships.addressee_id': { direction: 'from' },
      'invitations.email': { identity: 'email' },
      // The name says that somebody worked on the row. In truth it says whose it has become.
      invitations: { owner: ['accepted_by_id', 'email'] },
      'invitations.inviter_id': { direction: 'none' },
    },
    beyond: {
      invitations:
        'Each field alone is offered; that whoever accepted comes before the address is how the network works.',
    },
    categories: {
      'friendships.message': 'user.social',
      'invitations.greeting': 'user.social',
      'event_rsvps.remark': 'user.social',
      'posts.body': 'user.social',
      'photos.url': 'user.social',
      'photos.caption': 'user.social',
      'photo_tags.label': 'user.name',
    },
  },
  deletes: ['posts', 'post_likes', 'mentions', 'group_memberships', 'event_rsvps', 'member_interests'],
}
