import type { Value } from '@habeas/core'
import { type Condition, documentForms, type Expression, type KeyTarget, smallLetters } from '@habeas/sql'
import { sql } from 'kysely'
import { doubleTexts } from './document-form.js'
import type { SnowflakeColumn } from './live-column.js'

type Target = KeyTarget<SnowflakeColumn>

/** What the functions below give for each element. No column is meant by it: it stands for the element alone. */
const element = sql.raw('element_')
const text = sql`to_varchar(${element})`
const json = sql`to_json(${element})`

export function isInside({ column, path }: Target): boolean {
  return column.family === 'document' || path.length > 0
}

/** The forms of a key inside of a document, in JSON. */
export function formsBinder({ column, kind }: Target): (value: Value) => string | undefined {
  if (column.family !== 'document') return () => undefined
  return (value) => {
    const forms = documentForms(value, kind === 'string')
    return forms && JSON.stringify(forms.flatMap((form) => [form, ...(form.startsWith('n') ? doublesOf(form) : [])]))
  }
}

function doublesOf(form: string): string[] {
  return doubleTexts(form.slice(1)).map((text) => `n${text}`)
}

/** That one of the values to which the path leads has a form of the key, or a form of one of the keys. */
export function holdsForm(target: Target, forms: Expression): Condition {
  return overlap(formsOf(target), sql`as_array(parse_json(${forms}))`)
}

/** That one of these values in small letters is the text, or one of the texts in JSON. */
export function holdsFolded(target: Target, texts: Expression, blanks: Expression): Condition {
  const own = smallLetters(target.trimmed ? sql`trim(${text}, ${blanks})` : text)
  const keys = each(sql`to_array(parse_json(${texts}))`, text)
  return overlap(each(valuesOf(target), own), keys)
}

/** That all these values are null, blank or placeholders. */
export function holdsNothingInside(
  target: Target,
  placeholders: readonly (string | number | boolean)[],
  blanks: Expression,
): Condition {
  const bind = formsBinder(target)
  const forms = placeholders.flatMap((placeholder): string[] => JSON.parse(bind(placeholder) ?? '[]'))
  const numbers = placeholders.filter((placeholder) => Number.isFinite(placeholder))
  const written = sql`substr(${text}, 2)`
  const inText = [sql`translate(${written}, ${blanks}, '') = ''`]
  if (numbers.length > 0) {
    inText.push(
      isNumber(
        written,
        numbers.map((number) => sql.lit(String(number))),
      ),
    )
  }
  const isNull = sql`coalesce(${text}, 'nnull') = 'nnull'`
  const nothing = sql`${isNull} or (startswith(${text}, 's') and (${sql.join(inText, sql` or `)}))`
  // what is bound stands outside of the function that looks at each element
  const others = sql`array_except(array_distinct(${formsOf(target)}), as_array(parse_json(${JSON.stringify(forms)})))`
  return sql<boolean>`coalesce(array_size(filter(${others}, ${element} -> not (${nothing}))), 0) = 0`
}

/** That a text is one of the numbers. */
export function isNumber(text: Expression, numbers: readonly Expression[]): Condition {
  const list = sql.join(numbers.map((number) => sql`cast(${number} as double)`))
  return sql<boolean>`coalesce(try_cast(${text} as double) in (${list}), false)`
}

function overlap(own: Expression, keys: Expression): Condition {
  return sql<boolean>`coalesce(arrays_overlap(${own}, ${keys}), false)`
}

function each(list: Expression, made: Expression): Expression {
  return sql`transform(${list}, ${element} -> ${made})`
}

/** A decimal has one form, however many zeros it ends with. A double has another: its text, which always has an exponent. */
function formsOf(target: Target): Expression {
  const tagged = sql`iff(startswith(${json}, '"'), concat('s', ${text}), concat('n', ${json}))`
  const hasFraction = sql`startswith(${text}, 'n') and contains(${text}, '.') and not contains(${text}, 'e')`
  return each(each(valuesOf(target), tagged), sql`iff(${hasFraction}, rtrim(rtrim(${text}, '0'), '.'), ${text})`)
}

/** Every value to which the path leads, as one list: through objects, lists, and lists of lists. */
function valuesOf({ column, path }: Target): Expression {
  const whole = sql`to_array(cast(${sql.id(column.name)} as variant))`
  return path.reduce<Expression>(
    (values, name) => elements(elements(values, sql`get(as_object(${element}), ${literal(name)})`), element),
    elements(whole, element),
  )
}

/** The elements of the list that is made of each element, or what is made and is no list. */
function elements(list: Expression, made: Expression): Expression {
  return sql`array_flatten(${each(list, sql`coalesce(to_array(${made}), array_construct())`)})`
}

/** A text in the statement itself, where the service takes no parameter. It reads both signs as the start of another. */
function literal(name: string): Expression {
  return sql.raw(`'${name.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`)
}
