import { expect, test } from 'vitest'
import { rememberedSecrets } from './remembered-secrets.js'

function counted() {
  const opened: string[] = []
  let isAway = false
  const secrets = rememberedSecrets({
    seal: async (plaintext) => plaintext,
    async open(sealed, context) {
      opened.push(context)
      if (isAway) throw new Error('away')
      return sealed
    },
  })
  return { opened, secrets, away: (value: boolean) => (isAway = value) }
}

const bytes = Uint8Array.of(1, 2, 3)

test('what is opened at once or again is opened once', async () => {
  const { opened, secrets } = counted()
  await Promise.all([secrets.open(bytes, 'a'), secrets.open(Uint8Array.from(bytes), 'a')])
  expect(await secrets.open(bytes, 'a')).toEqual(bytes)
  expect(opened).toEqual(['a'])
})

test('another context or other bytes are another value', async () => {
  const { opened, secrets } = counted()
  await secrets.open(bytes, 'a')
  await secrets.open(bytes, 'b')
  expect(await secrets.open(Uint8Array.of(1, 2), 'a')).toEqual(Uint8Array.of(1, 2))
  expect(opened).toEqual(['a', 'b', 'a'])
})

test('a failure is not remembered', async () => {
  const { opened, secrets, away } = counted()
  away(true)
  await expect(secrets.open(bytes, 'a')).rejects.toThrow('away')
  away(false)
  expect(await secrets.open(bytes, 'a')).toEqual(bytes)
  expect(opened).toEqual(['a', 'a'])
})

test('the oldest are forgotten where there are many', async () => {
  const { opened, secrets } = counted()
  const contexts = Array.from({ length: 1_002 }, (_, at) => `${at}`)
  for (const context of contexts) await secrets.open(bytes, context)
  opened.length = 0
  await secrets.open(bytes, '1001')
  await secrets.open(bytes, '0')
  expect(opened).toEqual(['0'])
})
