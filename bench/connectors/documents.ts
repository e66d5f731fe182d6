import { type Db, type Document, MongoClient, ObjectId } from 'mongodb'

/** One person with this many documents, among as many of somebody else. */
export interface Subject {
  readonly email: string
  readonly documents: number
}

const subject = (documents: number): Subject => ({ email: `${documents}@documents.example`, documents })

export const subjects = { nobody: subject(0), many: subject(100_000), most: subject(1_000_000) } as const

/** What an access delivers of each document, and what the cursor that it is compared with asks for. */
export const delivered = ['note', 'at', 'amount'] as const

const perInsert = 10_000

/** Fills the database of one subject. Every other document is somebody else's. */
export async function fillDocuments(url: string, database: string, { email, documents }: Subject): Promise<void> {
  await withDatabase(url, database, async (db) => {
    await db.dropDatabase()
    const people = [email, `not.${email}`].map((address) => ({ _id: new ObjectId(), email: address }))
    await db.collection('person').insertMany(people)
    const entries = db.collection('entry')
    await db.createCollection('entry')
    for (let from = 0; from < documents * 2; from += perInsert) {
      await entries.insertMany(
        Array.from({ length: Math.min(perInsert, documents * 2 - from) }, (_, at) => entry(from + at, people)),
      )
    }
    await db.collection('person').createIndex({ email: 1 })
    await entries.createIndex({ person_id: 1 })
  })
}

const entry = (at: number, people: readonly { readonly _id: ObjectId }[]): Document => ({
  person_id: people[at % 2]?._id,
  note: `entry ${at}${' words'.repeat(8)}`,
  at: new Date(1_700_000_000_000 + at * 1000),
  amount: at / 4,
})

export async function withDatabase<Result>(
  url: string,
  database: string,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  const client = new MongoClient(url, { writeConcern: { w: 'majority' } })
  try {
    return await work(client.db(database))
  } finally {
    await client.close()
  }
}
