import type { Color, PDFDocument, PDFFont, PDFImage, PDFPage } from '@cantoo/pdf-lib'
import type { Logo } from '../../accounts/shop-details/shop-details.ts'
import { documentTexts } from './document-texts.ts'
import type { PrintedDocument } from './printed-document.ts'

/**
 * Draws a receipt or an invoice on A4 pages, with the fonts that every PDF reader has. Their alphabet is Latin: what it lacks is
 * left out (emoji) or shown as "?". The library is loaded when the first document is drawn.
 */
export async function renderPdf(document: PrintedDocument): Promise<Uint8Array> {
  const { PDFDocument, StandardFonts } = await import('@cantoo/pdf-lib')
  const pdf = await PDFDocument.create()
  pdf.setTitle(`${document.title} ${document.number}`)
  pdf.setAuthor(document.shop.name)
  pdf.setProducer('Nexkit')
  pdf.setCreator('Nexkit')
  const fonts = {
    plain: await pdf.embedFont(StandardFonts.Helvetica),
    bold: await pdf.embedFont(StandardFonts.HelveticaBold),
  }
  const sheet = new Sheet(pdf, fonts)
  await drawHead(sheet, document)
  drawFacts(sheet, document)
  drawItems(sheet, document)
  drawSums(sheet, document)
  drawPayments(sheet, document)
  drawFoot(sheet, document)
  return pdf.save()
}

/** Reads an image as the PDF will; throws when it cannot be drawn. */
export async function embedLogo(pdf: PDFDocument, { content_type: type, bytes }: Logo): Promise<PDFImage> {
  return type === 'image/png' ? pdf.embedPng(bytes) : pdf.embedJpg(bytes)
}

const [WIDTH, HEIGHT, MARGIN] = [595.28, 841.89, 48]
const RIGHT = WIDTH - MARGIN
const FOOT = 64
const LOGO_MAX = { width: 140, height: 56 }
const BODY = 10
const LINE = 15

type Fonts = { plain: PDFFont; bold: PDFFont }
type Style = { size?: number; isBold?: boolean; isQuiet?: boolean }

/** A position that moves down the pages. */
class Sheet {
  readonly pdf: PDFDocument
  readonly #fonts: Fonts
  readonly #alphabet: ReadonlySet<number>
  page: PDFPage
  y: number

  constructor(pdf: PDFDocument, fonts: Fonts) {
    this.pdf = pdf
    this.#fonts = fonts
    this.#alphabet = new Set(fonts.plain.getCharacterSet())
    this.page = pdf.addPage([WIDTH, HEIGHT])
    this.y = HEIGHT - MARGIN
  }

  /** Starts another page when less than this height is left. */
  need(height: number): boolean {
    if (this.y - height >= FOOT) return false
    this.page = this.pdf.addPage([WIDTH, HEIGHT])
    this.y = HEIGHT - MARGIN
    return true
  }

  text(text: string, x: number, { size = BODY, isBold = false, isQuiet = false }: Style = {}): void {
    const font = isBold ? this.#fonts.bold : this.#fonts.plain
    this.page.drawText(this.#latin(text), { x, y: this.y, size, font, color: isQuiet ? QUIET : INK })
  }

  /** Ends at the given place. */
  textTo(text: string, right: number, style: Style = {}): void {
    this.text(text, right - this.widthOf(text, style), style)
  }

  widthOf(text: string, { size = BODY, isBold = false }: Style = {}): number {
    return (isBold ? this.#fonts.bold : this.#fonts.plain).widthOfTextAtSize(this.#latin(text), size)
  }

  /** Breaks at spaces, and within words that are wider than the column. */
  linesOf(text: string, width: number, style: Style = {}): string[] {
    const lines: string[] = []
    let line = ''
    for (const word of text.split(/ +/).flatMap((one) => this.#pieces(one, width, style))) {
      const longer = line === '' ? word : `${line} ${word}`
      if (line !== '' && this.widthOf(longer, style) > width) {
        lines.push(line)
        line = word
      } else line = longer
    }
    return [...lines, line]
  }

  #pieces(word: string, width: number, style: Style): string[] {
    const pieces: string[] = []
    let piece = ''
    for (const character of word) {
      if (piece !== '' && this.widthOf(piece + character, style) > width) {
        pieces.push(piece)
        piece = ''
      }
      piece += character
    }
    return [...pieces, piece]
  }

  rule(): void {
    this.page.drawLine({ start: { x: MARGIN, y: this.y }, end: { x: RIGHT, y: this.y }, thickness: 0.5, color: FAINT })
  }

  #latin(text: string): string {
    const plain = text.normalize('NFC').replaceAll('\u00a0', ' ').replaceAll('\u2212', '-').replaceAll(PICTURES, '')
    const tidy = plain === text ? plain : plain.replaceAll(/ {2,}/g, ' ')
    return [...tidy].map((one) => (this.#alphabet.has(one.codePointAt(0) ?? 0) ? one : UNKNOWN(one))).join('')
  }
}

const PICTURES = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200d|\ufe0f/gu
const UNKNOWN = (character: string): string => (/\s|\p{Cc}/u.test(character) ? ' ' : '?')

/** As `rgb` of the library returns it, which is loaded later. */
const rgb = (red: number, green: number, blue: number) => ({ type: 'RGB', red, green, blue }) as Color
const INK = rgb(0.09, 0.13, 0.11)
const QUIET = rgb(0.32, 0.38, 0.35)
const FAINT = rgb(0.82, 0.85, 0.83)

/** The logo and the shop on the left, the title on the right. */
async function drawHead(sheet: Sheet, { shop, title, number }: PrintedDocument): Promise<void> {
  const top = sheet.y
  sheet.y = top - 20
  sheet.textTo(title, RIGHT, { size: 22, isBold: true })
  sheet.y -= 18
  sheet.textTo(number, RIGHT, { size: 11, isQuiet: true })
  const bottom = sheet.y
  sheet.y = top
  if (shop.logo !== null) {
    const image = await embedLogo(sheet.pdf, shop.logo)
    const { width, height } = image.scaleToFit(LOGO_MAX.width, LOGO_MAX.height)
    sheet.page.drawImage(image, { x: MARGIN, y: top - height, width, height })
    sheet.y = top - height - 6
  }
  for (const line of sheet.linesOf(shop.name, 300, { size: 13, isBold: true })) {
    sheet.y -= 15
    sheet.text(line, MARGIN, { size: 13, isBold: true })
  }
  sheet.y -= 2
  for (const line of shop.lines.flatMap((one) => sheet.linesOf(one, 300, { size: 9 }))) {
    sheet.y -= 12
    sheet.text(line, MARGIN, { size: 9, isQuiet: true })
  }
  sheet.y = Math.min(sheet.y, bottom) - 18
}

function drawFacts(sheet: Sheet, { facts }: PrintedDocument): void {
  sheet.rule()
  sheet.y -= 4
  for (const { label, value } of facts) {
    const lines = sheet.linesOf(value, RIGHT - MARGIN - 120)
    for (const [index, line] of lines.entries()) {
      sheet.y -= LINE
      if (index === 0) sheet.text(label, MARGIN, { isQuiet: true })
      sheet.text(line, MARGIN + 120)
    }
  }
  sheet.y -= 24
}

const COLUMNS = { name: 250, quantity: 345, price: 440 }

function drawItemHead(sheet: Sheet, { language }: PrintedDocument): void {
  const texts = documentTexts[language]
  const style = { size: 9, isBold: true, isQuiet: true }
  sheet.text(texts.item, MARGIN, style)
  sheet.textTo(texts.quantity, COLUMNS.quantity, style)
  sheet.textTo(texts.price, COLUMNS.price, style)
  sheet.textTo(texts.amount, RIGHT, style)
  sheet.y -= 6
  sheet.rule()
  sheet.y -= 2
}

/** The head of the table is repeated on each page. */
function drawItems(sheet: Sheet, document: PrintedDocument): void {
  drawItemHead(sheet, document)
  for (const { name, quantity, price, amount } of document.items) {
    const lines = sheet.linesOf(name, COLUMNS.name)
    if (sheet.need(lines.length * LINE)) drawItemHead(sheet, document)
    for (const [index, line] of lines.entries()) {
      sheet.y -= LINE
      sheet.text(line, MARGIN)
      if (index > 0) continue
      sheet.textTo(quantity, COLUMNS.quantity)
      sheet.textTo(price, COLUMNS.price)
      sheet.textTo(amount, RIGHT)
    }
  }
  sheet.y -= 10
  sheet.rule()
  sheet.y -= 4
}

/** The sums stay together. */
function drawSums(sheet: Sheet, { sums }: PrintedDocument): void {
  sheet.need(sums.length * (LINE + 2))
  for (const { label, value, isStrong } of sums) {
    sheet.y -= LINE + 2
    const style = { size: isStrong ? 11 : BODY, isBold: isStrong, isQuiet: !isStrong }
    sheet.textTo(label, COLUMNS.price, style)
    sheet.textTo(value, RIGHT, { ...style, isQuiet: false })
  }
  sheet.y -= 24
}

function drawPayments(sheet: Sheet, { payments, language }: PrintedDocument): void {
  if (payments.length === 0) return
  sheet.need(3 * LINE)
  sheet.text(documentTexts[language].payments, MARGIN, { size: 11, isBold: true })
  sheet.y -= 6
  sheet.rule()
  sheet.y -= 2
  for (const { label, value } of payments) {
    sheet.need(LINE)
    sheet.y -= LINE
    sheet.text(label, MARGIN)
    sheet.textTo(value, RIGHT)
  }
}

function drawFoot(sheet: Sheet, { language, shop }: PrintedDocument): void {
  const pages = sheet.pdf.getPages()
  for (const [index, page] of pages.entries()) {
    sheet.page = page
    sheet.y = MARGIN - 12
    sheet.text(shop.name, MARGIN, { size: 8, isQuiet: true })
    sheet.textTo(documentTexts[language].page(index + 1, pages.length), RIGHT, { size: 8, isQuiet: true })
  }
}
