import { expect } from 'vitest'
import { answered, leastOfCategories } from './answered.js'
import { answering, type Question } from './answering.js'
import { connected } from './database-rows.js'
import type { QuestionCounts } from './question-counts.js'
import type { SampleSchema } from './sample-schema.js'
import { openDatabase } from './sample-service.js'

/**
 * Answers a draft of a database question by question: each answer is one that drafting proposes or offers, or stands in the
 * schema's table with the reason why it cannot; nothing is left open but what the table says; and at most one question is
 * asked for two tables, unless the table says why.
 */
export async function expectAnswered(schema: SampleSchema, url: string): Promise<QuestionCounts> {
  const { name, answers, overLimit } = schema
  const { beyond = {}, categories, placeholders = {}, notPersonal = [] } = answers
  const privacy = await openDatabase(name, url)
  try {
    const draft = await privacy.connections.draftDataset(name)
    const { dataset, questions, reported, unanswered } = await answering(privacy, schema, draft)
    expect(unanswered).toEqual([])
    expect(dataset).toEqual(answered(draft, answers))
    expect(placesOf(questions, 'beyond')).toEqual(Object.keys(beyond).sort())
    const sure = draft.proposals.flatMap((each) => {
      if (each.kind !== 'category' || each.confidence < leastOfCategories) return []
      const place = `${each.collection}.${each.field}`
      return categories[place] === each.category ? [place] : []
    })
    expect(sure, 'categories that are taken over anyway').toEqual([])
    const tables = await tableCount(url)
    if (overLimit === undefined) expect(questions.length).toBeLessThanOrEqual(tables / 2)
    else expect(questions.length, `needs no reason: ${overLimit}`).toBeGreaterThan(tables / 2)
    const columns = [...Object.keys(categories), ...Object.keys(placeholders), ...notPersonal]
    return { tables, reported: reported.size, ...countsOf(questions), columns: new Set(columns).size }
  } finally {
    await privacy.close()
  }
}

function placesOf(questions: readonly Question[], answer: Question['answer']): readonly string[] {
  return questions.flatMap((each) => (each.answer === answer ? [each.place] : [])).sort()
}

function countsOf(questions: readonly Question[]): Omit<QuestionCounts, 'tables' | 'reported' | 'columns'> {
  const count = (answer: Question['answer']) => placesOf(questions, answer).length
  return {
    questions: questions.length,
    proposed: count('proposed'),
    offered: count('offered'),
    beyond: count('beyond'),
    declined: count('declined'),
    left: count('left'),
    unasked: questions.filter(({ unasked }) => unasked).length,
  }
}

/** Views ask nothing. */
function tableCount(url: string): Promise<number> {
  return connected(url, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    )
    return rows[0]?.count ?? 0
  })
}
