/** What the service answers to a statement. */
export interface ServiceAnswer {
  readonly data: Readonly<Record<string, unknown>> | null
  readonly code: string | null
  readonly message: string | null
  readonly success: boolean
}

/** Failures of the emulator's engine, and what the service says instead. No message of the service names its place in a file. */
const translations: readonly (readonly [RegExp, string, string, string])[] = [
  [/Referenced column "?([^"\s]+)"? not found/, '000904', '42000', "SQL compilation error: invalid identifier '$1'"],
  [
    /Table with name|does not exist/,
    '002003',
    '42S02',
    'SQL compilation error: Object does not exist or not authorized.',
  ],
  [
    /Conversion Error|Could not convert|out of range|Invalid Input Error/,
    '100038',
    '22018',
    'A value is not recognized',
  ],
]

/** An answer of the emulator in the words of the service. */
export function asService(status: number, text: string): ServiceAnswer {
  const answer = JSON.parse(text.startsWith('{') ? text : '{}') as ServiceAnswer
  if (status === 200 && answer.success) return withServiceTimes(answer)
  const message = String(answer.message ?? text)
  for (const [pattern, code, sqlState, words] of translations) {
    const found = pattern.exec(message)
    if (!found) continue
    const named = words.replace('$1', found[1] ?? '')
    return { data: { errorCode: code, sqlState }, code, message: named, success: false }
  }
  return { data: { errorCode: '000001', sqlState: 'XX000' }, code: '000001', message, success: false }
}

/** A time before 1970 is so many seconds before it, with its fraction: the emulator counts the fraction the other way. */
function withServiceTimes(answer: ServiceAnswer): ServiceAnswer {
  const { rowset, rowtype } = answer.data as { rowset?: (string | null)[][]; rowtype?: { type: string }[] }
  const places = (rowtype ?? []).flatMap(({ type }, at) => (type.startsWith('timestamp') ? [at] : []))
  for (const row of rowset ?? []) {
    for (const at of places) {
      const [, seconds, nanoSeconds, zone] = /^(-\d+)\.(\d{9})(.*)$/.exec(row[at] ?? '') ?? []
      if (seconds === undefined || Number(nanoSeconds) === 0) continue
      const total = BigInt(seconds) * 1_000_000_000n + BigInt(nanoSeconds!)
      const digits = String(-total).padStart(10, '0')
      row[at] = `-${digits.slice(0, -9)}.${digits.slice(-9)}${zone}`
    }
  }
  return answer
}
