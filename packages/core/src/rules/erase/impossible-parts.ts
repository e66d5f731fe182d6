import { type Column, enforcedKeys, isNullOnce } from '../../model/catalogue.js'
import { maskedTexts } from '../../model/masking-strategy.js'
import type { Finding } from '../findings/finding.js'
import type { CollectionNode, FieldNode } from '../plan/collection-node.js'
import { sealedColumn } from '../plan/dataset-graph.js'
import type { PlannedMask } from '../plan/plan.js'
import { rewrittenText } from './masker.js'

const keepIt = 'keep it with retain: {reason: …} or read_only: true in its service_meta'
const deleteRows = 'delete whole rows with erase: delete in the service_meta of the collection'

/** Masks that no statement could write, as types, keys and constraints of the live table show. */
export function impossibleParts(node: CollectionNode, field: FieldNode, mask: Omit<PlannedMask, 'rule'>): Finding[] {
  const { column, path } = field
  const name = mask.strategy.strategy
  const guess = mask.inferred
    ? ` It is taken for '${mask.dataCategories[0]}' by its name: say 'reviewed' on the field if it holds none.`
    : ''
  const fault = (message: string) => impossiblePart(node, field, message + guess)
  const isColumn = path.length === 1 && column !== undefined && !node.live?.schemaless
  const written = maskedTexts[name]
  const text = written !== 'none'
  const notText = `cannot hold the text of '${name}'`
  // a document with categories of its own becomes NULL as a whole, whatever members are described
  const members =
    column?.kind === 'object' || field.kind === 'object'
      ? [
          `describe its members under 'fields' and give these the data_categories instead of '${path.at(-1)}', so that they are erased one by one`,
        ]
      : []
  const isRequired = isColumn && !column.nullable && !column.array
  const withoutNull = [...members, keepIt, deleteRows, 'or allow NULL in the column'].join(', ')
  const instead = isRequired ? withoutNull : `name 'null_rewrite' as its masking_strategy, or ${keepIt}`
  const found: Finding[] = []
  const keys = enforcedKeys(node.live).filter((key) => key.length === 1 && path.length === 1)
  const nullOnce = isNullOnce(node.live, path)
  if (written === 'same' && (nullOnce || keys.some(([name]) => name === path[0]))) {
    found.push(
      fault(
        `cannot become the same text in every row, since its column is unique: name 'random_string_rewrite' or 'hash' as its masking_strategy.`,
      ),
    )
  }
  if (name === 'null_rewrite' && nullOnce) {
    const way = members[0] ?? `name 'random_string_rewrite' or 'hash' as its masking_strategy where it holds texts`
    found.push(
      fault(
        `cannot become NULL in several rows, since its unique index takes NULL for a value: ${way}, ${keepIt}, or ${deleteRows}.`,
      ),
    )
  }
  if (!isColumn) {
    const kind = field.field.service_meta.data_type && field.kind
    if (text && kind && kind !== 'string') found.push(fault(`${notText}, since it holds ${kind}: ${instead}.`))
    return found
  }
  if (column.generated) {
    found.push(
      fault(
        `is computed by the database and cannot be written: keep it with read_only: true in its service_meta, and erase the columns it is computed from.`,
      ),
    )
  }
  if (text && column.kind !== 'string') found.push(fault(`${notText}, since its type is ${column.type}: ${instead}.`))
  const oneOfThem = `'string_rewrite' with one of the texts of its type ${column.type}`
  if (text && isUnlisted(column, mask)) {
    const way = `${column.nullable ? `name 'null_rewrite', or` : 'name'} ${oneOfThem}`
    found.push(fault(`${notText}, since it holds only listed texts: ${way}, or ${keepIt}.`))
  }
  if (name === 'null_rewrite' && isRequired) {
    const textual = column.values
      ? `name ${oneOfThem}`
      : `name a strategy with a text, such as 'random_string_rewrite', as its masking_strategy`
    const way = column.kind === 'string' ? `${textual}, or ${keepIt}` : withoutNull
    found.push(fault(`cannot become NULL, since its column is NOT NULL: ${way}.`))
  }
  const foreign = node.live?.foreignKeys.find(({ columns }) => columns.includes(column.name))
  if (text && foreign) {
    found.push(
      fault(`holds only keys of '${foreign.references.collection}' (foreign key '${foreign.name}'): ${instead}.`),
    )
  }
  return found
}

/**
 * A member inside a column that has no members. No search finds anything in it, and that must not look like an empty
 * member.
 */
export function sealedParts(node: CollectionNode, field: FieldNode): Finding[] {
  const holder = sealedColumn(node, field)
  if (!holder) return []
  const way = `describe '${holder.name}' itself, without nested fields, and give it the data_categories`
  const message = `cannot be read separately, since the type of '${holder.name}' is ${holder.type}, which holds no fields: ${way}.`
  return [impossiblePart(node, field, message)]
}

/** `message` continues the sentence after the name of the field. */
function impossiblePart(node: CollectionNode, field: FieldNode, message: string): Finding {
  return {
    type: 'erasure_impossible',
    severity: 'error',
    loc: [node.dataset.service_key, node.collection.name, field.name],
    message: `'${node.address}.${field.name}' ${message}`,
  }
}

/** Whether an enumeration lacks the text of a strategy. */
function isUnlisted({ values }: Column, { strategy, maxLength }: Pick<PlannedMask, 'strategy' | 'maxLength'>): boolean {
  if (!values) return false
  return strategy.strategy !== 'string_rewrite' || !values.includes(rewrittenText(strategy, maxLength))
}
