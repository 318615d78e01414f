import type { ReactNode } from "react";

export type KeymapGroup = { title: string; rows: readonly ReactNode[] };

type Props = { groups: readonly KeymapGroup[]; heading: "h3" | "h4" };

/**
 * Groups of keys in two columns, each read from top to bottom; in one where there is no room for two. No group is
 * broken, and none changes its column while one of its rows says something.
 */
export function KeymapColumns({ groups, heading: Heading }: Props) {
  const all = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  const columns: KeymapGroup[][] = [[], []];
  let before = 0;
  for (const group of groups) {
    columns[before + group.rows.length / 2 <= all / 2 ? 0 : 1]?.push(group);
    before += group.rows.length;
  }
  return (
    <div className="keymap">
      {columns.map((column) => (
        <div key={column[0]?.title}>
          {column.map(({ title, rows }) => (
            <section key={title}>
              <Heading>{title}</Heading>
              <dl>{rows}</dl>
            </section>
          ))}
        </div>
      ))}
    </div>
  );
}

/** By their sections, in the order in which these come first. */
export function groupsOf<One extends { section: string }>(
  all: readonly One[],
  row: (one: One) => ReactNode,
): KeymapGroup[] {
  const titles = [...new Set(all.map(({ section }) => section))];
  return titles.map((title) => ({ title, rows: all.filter(({ section }) => section === title).map(row) }));
}
