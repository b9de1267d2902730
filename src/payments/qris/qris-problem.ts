/** The problems of a QRIS payload as data, with the tag and the position for the operator who pasted it. */
export type QrisProblemCode =
  // The text as a whole.
  | 'payload_empty'
  | 'payload_too_long'
  | 'text_malformed'
  | 'control_character'
  // The structure of data objects.
  | 'tag_malformed'
  | 'length_malformed'
  | 'value_overrun'
  | 'value_unwritable'
  | 'tag_repeated'
  // Required tags and their values.
  | 'tag_missing'
  | 'format_indicator_wrong'
  | 'crc_not_last'
  | 'crc_wrong'
  | 'initiation_unknown'
  | 'account_missing'
  | 'category_malformed'
  | 'currency_unsupported'
  | 'country_unsupported'
  | 'value_blank'
  | 'amount_malformed'
  | 'amount_fractional'
  | 'tip_malformed'
  | 'transfer_code'
  // Violations that occur in live codes, and that we do not write.
  | 'value_too_long'
  | 'value_unusual'
  | 'pipe_character'
  | 'tip_unused'
  | 'template_malformed'
  // Unsupported uses of a payload.
  | 'already_dynamic'
  | 'already_has_amount'
  | 'amount_out_of_range'
  | 'bill_number_malformed'

export type QrisProblem = {
  code: QrisProblemCode
  /** Tags from the outside in, such as `26.01`; null where the payload as a whole is meant. */
  path: string | null
  /** Where it begins in the UTF-8 bytes of the payload; null for what is absent or was never part of a payload. */
  offsetBytes: number | null
  says: string
}

/** The only error that the functions of this folder throw about a payload or its values. */
export class QrisError extends Error {
  override readonly name = 'QrisError'
  readonly problem: QrisProblem

  constructor(problem: QrisProblem) {
    super(describeProblem(problem))
    this.problem = problem
  }

  get code(): QrisProblemCode {
    return this.problem.code
  }
}

export function describeProblem({ path, offsetBytes, says }: QrisProblem): string {
  const place = [path === null ? null : `tag ${path}`, offsetBytes === null ? null : `byte ${offsetBytes}`]
  const named = place.filter((part) => part !== null).join(', ')
  return named === '' ? says : `${says} (${named})`
}

/** Problems name bytes, because that is what tools that show a payload count; strings are walked by index. */
export const byteOffset = (text: string, index: number): number => Buffer.byteLength(text.slice(0, index), 'utf8')
