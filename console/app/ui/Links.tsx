import { Anchor, type AnchorProps, Button, type ButtonProps, Card, type CardProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'

/** Components that are links of the router: `to` and `search` are checked against the list of pages. */
type LinkAttributes = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps>
type WithRef = { ref?: Ref<HTMLAnchorElement> }

const ButtonLink = (props: ButtonProps & LinkAttributes & WithRef) => <Button component="a" {...props} />
export const LinkButton = createLink(ButtonLink)

const AnchorLink = (
  props: AnchorProps & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps> & WithRef,
) => <Anchor {...props} />
export const LinkText = createLink(AnchorLink)

const CardLink = (props: CardProps & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof CardProps> & WithRef) => (
  <Card component="a" {...props} />
)
export const LinkCard = createLink(CardLink)
