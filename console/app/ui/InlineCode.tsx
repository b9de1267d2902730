/** A sentence of the server, where `code` stands between backticks. */
export const InlineCode = ({ text }: { text: string | undefined }) =>
  (text ?? '').split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence keep their places.
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  )
