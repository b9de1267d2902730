/**
 * Stands where something is still being read. A plain element that stands still, because a list that is filtered shows dozens for
 * a moment; `data-waiting` on what is around it lets all of them pulse as one.
 */
export function Skeleton(props: { height: number; width?: string | number; isRound?: boolean }) {
  const { height, width = props.isRound ? height : undefined, isRound } = props
  return <div className="skeleton" style={{ height, width }} data-round={isRound || undefined} />
}
