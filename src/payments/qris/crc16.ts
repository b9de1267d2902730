/**
 * CRC-16/CCITT-FALSE: polynomial 0x1021, initial value 0xFFFF, nothing reflected, no final xor. QRIS lengths count
 * characters, but the checksum covers UTF-8 bytes; the two differ as soon as a name contains a character beyond ASCII.
 */
const POLYNOMIAL = 0x1021
const INITIAL_VALUE = 0xffff

/** The effect of one byte on the register, computed once instead of bit by bit for every payload. */
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let register = byte << 8
  for (let bit = 0; bit < 8; bit++)
    register = register & 0x8000 ? ((register << 1) ^ POLYNOMIAL) & 0xffff : register << 1
  return register
})

export function crc16(text: string): number {
  let register = INITIAL_VALUE
  const bytes = Buffer.from(text, 'utf8')
  for (let index = 0; index < bytes.length; index++)
    register = ((register << 8) & 0xffff) ^ (TABLE[(register >> 8) ^ (bytes[index] as number)] as number)
  return register
}

/** Four upper-case digits. The padding matters: one payload in sixteen has a checksum that begins with a zero. */
export const crc16Hex = (text: string): string => crc16(text).toString(16).toUpperCase().padStart(4, '0')
