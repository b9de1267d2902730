import type { TemplateContent } from '../channels/content/content.ts'
import { writeOutTemplate } from '../channels/content/template.schemas.ts'
import type { BroadcastRow, RecipientRow } from './broadcasts.sql.ts'

/** What one person is sent. */
export const messageFor = (row: BroadcastRow, { phone, chat_id, variables }: RecipientRow) => ({
  orgId: row.org_id,
  to: phone === null ? { chatId: chat_id ?? '' } : { phone: `+${phone}` },
  content: { type: 'template' as const, template: filled(row.template, variables) },
  metadata: { broadcast_id: row.id },
  sender: row.created_by,
})

/** The variables of a person take the place of those of the template. */
function filled(template: TemplateContent, variables: RecipientRow['variables']): TemplateContent {
  if (variables === null) return template
  const components = (template.components ?? []).filter(({ type }) => type !== 'body')
  return writeOutTemplate({
    name: template.name,
    language: template.language,
    components,
    variables,
  }) as TemplateContent
}
