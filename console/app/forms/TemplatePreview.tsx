import { Text } from '@mantine/core'
import type { Template } from '../api/messages.ts'
import type { Attachment } from '../components/attachment.ts'
import { useLocalPicture } from '../components/local-picture.ts'
import { Place } from '../components/Place.tsx'
import { TemplateLook } from '../components/TemplateLook.tsx'
import { headerGiven, type TemplateParts } from '../components/template-parts.ts'
import { useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'

type PreviewProps = { parts: TemplateParts; template: Template; file: Attachment | null }

/** The whole message as it will be, with what is still open to be seen. */
export function TemplatePreview(props: PreviewProps) {
  const say = useSay()
  return (
    <figure style={{ margin: 0 }}>
      <Text component="figcaption" size="xs" className="quiet" mb={4}>
        {say('template.preview')}
      </Text>
      <div className="bubble template-preview">
        <TemplateLook parts={props.parts} template={props.template} header={<Header {...props} />} />
      </div>
    </figure>
  )
}

function Header({ parts: { header }, template, file }: PreviewProps) {
  const say = useSay()
  const picture = useLocalPicture(file?.file ?? null, file?.kind === 'image')
  const given = headerGiven(template)
  if (given?.type === 'location' && Number.isFinite(given.location.latitude + given.location.longitude))
    return <Place location={given.location} />
  if (header.kind === 'place') return <Line icon="place" words={say('message.kind.location')} />
  if (header.kind !== 'file') return null
  if (picture !== null) return <img className="picture" src={picture} alt={say('message.kind.image')} />
  const media = given !== null && 'media' in given ? given.media : {}
  const words = media.filename || media.link || file?.file.name
  return <Line icon="file" words={words || say(`message.kind.${header.type}`)} />
}

const Line = ({ icon, words }: { icon: 'file' | 'place'; words: string }) => (
  <div className="file-line">
    <Icon name={icon} />
    <Text size="sm" style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
      {words}
    </Text>
  </div>
)
