/** The brand mark, as in public/icon.svg. */
export const Mark = ({ size }: { size: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" role="img" aria-label="Nexkit">
    <rect width="32" height="32" rx="7" fill="#0f766e" />
    <path
      d="M9 23V9l14 14V9"
      fill="none"
      stroke="#fff"
      strokeWidth="3.2"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
)
