import { type SampleSchema, sqlOf } from './sample-schema.js'

const users = `(select id from users where lower(email) = lower($1))`
const articles = `(select id from articles where author_id in ${users})`

/** A blog: what somebody publishes is hers, what others hang on it is theirs. */
export const blog: SampleSchema = {
  name: 'blog',
  sql: sqlOf('blog'),
  people: [
    { who: 'ann@blog.example', carries: 'the answer of carl to a comment of hers' },
    { who: 'bob@blog.example' },
    { who: 'carl@blog.example', carries: 'the answer of dora to a comment of his' },
    { who: 'dora@blog.example' },
    { who: 'eve@post.example' },
  ],
  truth: {
    users: { own: `select id from users where lower(email) = lower($1)` },
    articles: { own: `select id from articles where author_id in ${users}` },
    article_tags: { own: `select article_id, tag_id from article_tags where article_id in ${articles}` },
    comments: { own: `select id from comments where author_id in ${users}` },
    favorites: { own: `select user_id, article_id from favorites where user_id in ${users}` },
    // Whom somebody follows is what she does, not what the other one does.
    follows: { own: `select follower_id, followed_id from follows where follower_id in ${users}` },
    reactions: { own: `select id from reactions where user_id in ${users}` },
    images: {
      own: `select id from images where imageable_type = 'User' and imageable_id in ${users}
        or imageable_type = 'Article' and imageable_id in ${articles}`,
    },
    newsletter_subscribers: { own: `select id from newsletter_subscribers where lower(email) = lower($1)` },
  },
  nobodys: ['tags', 'article_feed'],
  answers: {
    asked: {
      'users.email': { identity: 'email' },
      'newsletter_subscribers.email': { identity: 'email' },
      'follows.followed_id': { direction: 'none' },
      'reactions.reactable_id': { reviewed: true },
      'images.imageable_id': {
        references: [
          { field: 'users.id', direction: 'from', when: { imageable_type: 'User' } },
          { field: 'articles.id', direction: 'from', when: { imageable_type: 'Article' } },
        ],
      },
    },
    beyond: {
      'images.imageable_id':
        'A draft looks for people behind such a pair; that articles have images is in the rows alone.',
    },
    categories: {
      'users.image': 'user.social',
      'users.bio': 'user.social',
      'articles.body': 'user.social',
      'articles.description': 'user.social',
      'comments.body': 'user.social',
      'images.url': 'user.social',
      'images.alt': 'user.social',
    },
  },
  deletes: ['comments', 'favorites', 'follows', 'reactions'],
}
