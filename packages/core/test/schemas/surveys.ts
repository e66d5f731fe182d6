import { type SampleSchema, sqlOf } from './sample-schema.js'

const respondents = `(select id from respondents where lower(email) = lower($1))`
const responses = `(select id from responses where respondent_id in ${respondents})`
const employees = `(select id from employees where lower(email) = lower($1))`

/** Surveys that employees put together: what others answer there is not theirs. */
export const surveys: SampleSchema = {
  name: 'surveys',
  sql: sqlOf('surveys'),
  people: [
    { who: 'hana@firm.example' },
    { who: 'ivo@firm.example' },
    { who: 'jana@firm.example' },
    { who: 'kai@firm.example' },
    { who: 'lena@home.example' },
    { who: 'max@home.example' },
  ],
  truth: {
    employees: { own: `select id from employees where lower(email) = lower($1)` },
    respondents: { own: `select id from respondents where lower(email) = lower($1)` },
    responses: { own: `select id from responses where respondent_id in ${respondents}` },
    answers: { own: `select id from answers where response_id in ${responses}` },
    reminders: { own: `select id from reminders where respondent_id in ${respondents}` },
    survey_shares: { own: `select survey_id, employee_id from survey_shares where employee_id in ${employees}` },
    // A remark is of who made it, even about an answer.
    comments: { own: `select id from comments where employee_id in ${employees}` },
  },
  nobodys: ['choices', 'departments', 'exports', 'questions', 'surveys', 'survey_results'],
  answers: {
    asked: {
      'employees.email': { identity: 'email' },
      'respondents.email': { identity: 'email' },
      'comments.commentable_id': { reviewed: true },
      'surveys.createdBy': { direction: 'none' },
      'exports.requested_by': { direction: 'none' },
      'reminders.sent_by': { direction: 'none' },
    },
    categories: {
      'respondents.name': 'user.name',
      'answers.answer_text': 'user.social',
      'reminders.body': 'user.social',
      'comments.body': 'user.social',
    },
  },
  deletes: ['respondents', 'responses', 'answers', 'reminders', 'survey_shares'],
}
