import { Button, FileButton, Group, Input, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { deleteLogo, logoQuery, type Settings, setLogo, settingsQuery } from '../api/settings.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import type { useRefusal } from '../ui/submission.ts'

type Props = { values: Settings; set: (change: Partial<Settings>) => void; refusal: ReturnType<typeof useRefusal> }

/** What payment pages, receipts and invoices say about the shop. */
export function ShopFields({ values, set, refusal }: Props) {
  const say = useSay()
  const textOf = (event: { currentTarget: { value: string } }) => event.currentTarget.value || null
  return (
    <>
      <Textarea
        label={say('settings.address')}
        description={say('settings.addressHelp')}
        autosize
        minRows={2}
        value={values.address ?? ''}
        onChange={(event) => set({ address: textOf(event) })}
        error={refusal?.at('address')}
      />
      <TextInput
        label={say('settings.contactPhone')}
        description={say('settings.contactPhoneHelp')}
        type="tel"
        value={values.contact_phone ?? ''}
        onChange={(event) => set({ contact_phone: textOf(event) })}
        error={refusal?.at('contact_phone')}
      />
      <TextInput
        label={say('settings.contactEmail')}
        type="email"
        value={values.contact_email ?? ''}
        onChange={(event) => set({ contact_email: textOf(event) })}
        error={refusal?.at('contact_email')}
      />
      <TextInput
        label={say('settings.taxNumber')}
        value={values.tax_number ?? ''}
        onChange={(event) => set({ tax_number: textOf(event) })}
        error={refusal?.at('tax_number')}
      />
      <Switch
        label={say('settings.receipts')}
        description={say('settings.receiptsHelp')}
        checked={values.receipts_in_chat}
        onChange={(event) => set({ receipts_in_chat: event.currentTarget.checked })}
      />
      <Switch
        label={say('settings.invoices')}
        description={say('settings.invoicesHelp')}
        checked={values.invoices_in_chat}
        onChange={(event) => set({ invoices_in_chat: event.currentTarget.checked })}
      />
    </>
  )
}

const base64Of = async (file: File): Promise<string> => {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** The logo is saved at once, apart from the form. */
export function LogoField({ logo, isChangeable }: { logo: Settings['logo']; isChangeable: boolean }) {
  const say = useSay()
  const queries = useQueryClient()
  const image = useQuery({ ...logoQuery(logo?.hash ?? ''), enabled: logo !== null })
  const onSuccess = () => queries.invalidateQueries({ queryKey: settingsQuery.queryKey })
  const save = useMutation({ mutationFn: async (file: File) => setLogo(await base64Of(file)), onSuccess })
  const remove = useMutation({ mutationFn: deleteLogo, onSuccess })
  return (
    <Input.Wrapper label={say('settings.logo')} description={say('settings.logoHelp')} maw={480} mb="md">
      <Stack gap="sm" mt="xs">
        {logo !== null && image.data !== undefined && (
          <img
            src={`data:${image.data.content_type};base64,${image.data.data}`}
            alt={say('settings.logo')}
            style={{ maxHeight: 64, maxWidth: 200, objectFit: 'contain', alignSelf: 'flex-start' }}
          />
        )}
        {isChangeable && (
          <Group gap="sm">
            <FileButton accept="image/png,image/jpeg" onChange={(file) => file && save.mutate(file)}>
              {(props) => (
                <Button {...props} size="sm" variant="default" loading={save.isPending}>
                  {say('settings.logoChoose')}
                </Button>
              )}
            </FileButton>
            {logo !== null && (
              <Button size="sm" variant="default" loading={remove.isPending} onClick={() => remove.mutate()}>
                {say('settings.logoDelete')}
              </Button>
            )}
          </Group>
        )}
        <ProblemMessage error={save.error ?? remove.error} />
      </Stack>
    </Input.Wrapper>
  )
}
