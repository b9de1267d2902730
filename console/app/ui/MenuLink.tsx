import { Menu, type MenuItemProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'

/** An item of a menu that is a link of the router. It is apart from the other links, because pages before sign-in have no menus. */
const MenuLink = (
  props: MenuItemProps &
    Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof MenuItemProps> & { ref?: Ref<HTMLAnchorElement> },
) => <Menu.Item component="a" {...props} />
export const LinkMenuItem = createLink(MenuLink)
