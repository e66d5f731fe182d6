import * as z from 'zod'

const message = 'must consist of letters, digits, "_", "." and "-", at most 255 of them, and not of dots alone'

/** The name of a resource: `[A-Za-z0-9_.-]+`, not dots alone, at most 255 characters. */
export const keySchema = z.string().regex(/^(?!\.+$)[A-Za-z0-9_.-]{1,255}$/, message)

/** A key that may be empty. It is then derived from the name. */
export const optionalKeySchema = z
  .string()
  .regex(/^(?!\.+$)[A-Za-z0-9_.-]{0,255}$/, message)
  .exactOptional()

/** A key for use in a sentence. An invalid key may hold something personal, so it is not repeated. */
export function namedKey(key: string): string {
  return keySchema.safeParse(key).success ? `the key '${key}'` : 'this key'
}

const letters: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'ß ss æ ae œ oe ø o đ d ð d þ th ł l ħ h ı i ŋ n ' +
    'а a б b в v г g д d е e ж zh з z и i к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch ' +
    'ъ - ы y ь - э e ю yu я ya є ie і i ґ g ђ dj ј j љ lj њ nj ћ c џ dz ѕ dz ' +
    'α a β b γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o'
  )
    .split(' ')
    .flatMap((part, index, parts) => (index % 2 === 0 ? [[part, (parts[index + 1] ?? '').replace('-', '')]] : [])),
)

/** The number of characters of a name that are read. A key has room for fewer, and one character can become many. */
const longestRead = 1_000

/**
 * Derives a key from a name: Latin letters in lower case, runs of space or hyphen as `_`, other characters dropped.
 * `Application PostgreSQL DB` gives `application_postgresql_db`. A name without a usable character gives undefined.
 */
export function deriveKey(name: string): string | undefined {
  const start = name.slice(0, longestRead)
  const plain = start.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')
  const latin = [...plain.trim()].map((letter) => letters[letter] ?? letter).join('')
  const key = latin
    .replace(/[^a-z0-9_\s-]/g, '')
    .trim()
    .replace(/[\s-]+/g, '_')
    .slice(0, 255)
  return /[a-z0-9]/.test(key) ? key : undefined
}
