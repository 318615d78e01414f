import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { useState } from "react";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { Switch } from "../../components/Switch";
import { useAnswer } from "../../components/useAnswer";
import type { CommandError, SkillEntry, SkillOffReason } from "../../protocol/generated";
import { Entries, EntryLine, OpenFile, Places, Warnings } from "./Entries";
import { useChange } from "./use_settings";

const reasons: Readonly<Record<SkillOffReason, MessageDescriptor>> = {
  untrusted: msg`off: this folder isn't trusted`,
  changed: msg`off: its files aren't those that you approved`,
};

export function Skills({ folder }: { folder: string | null }) {
  const { answer: listed, error, reload } = useAnswer("list_skills", { folder });
  const change = useChange(reload);
  const [failure, setFailure] = useState<CommandError | null>(null);
  const turn = async (on: boolean) =>
    setFailure(await change([{ key: "skills.enabled", text: String(on), was: null }]));
  return (
    <Entries
      title={t`Skills`}
      beside={listed !== null && <Switch label={t`Offer skills`} checked={listed.enabled} onChange={turn} />}
      problems={[error, failure]}
      lead={
        listed?.enabled === false ? (
          <p className="attention">! {t`Skills are switched off by “skills.enabled”.`}</p>
        ) : (
          listed?.skills.length === 0 &&
          t`A skill is a folder with a SKILL.md that tells the model how to do a kind of work. Put yours into the folder “skills” beside your configuration, or into “.agents/skills” of a project.`
        )
      }
      notes={
        <>
          {listed?.faults.map((fault) => (
            <ErrorNote key={fault.message} error={fault} />
          ))}
          {listed?.notice && <p className="small secondary">{listed.notice}</p>}
        </>
      }
    >
      {listed?.skills.map((skill) => (
        <li key={skill.origin}>
          <Skill skill={skill} folder={folder} />
        </li>
      ))}
    </Entries>
  );
}

function Skill({ skill, folder }: { skill: SkillEntry; folder: string | null }) {
  const { name, description, origin, keywords, paths, allowedTools, warnings, off } = skill;
  const triggers = [...keywords, ...paths].join(", ");
  const names = allowedTools?.join(", ") ?? "";
  const facts = [
    triggers === "" ? "" : t`used automatically for: ${triggers}`,
    allowedTools === null ? "" : t`tools: ${names}`,
  ];
  return (
    <EntryLine buttons={<OpenFile folder={folder} path={origin} name={name} />}>
      <p>
        <strong>
          <VisibleText text={name} />
        </strong>{" "}
        <span dir="auto">
          <VisibleText text={description} />
        </span>
      </p>
      {facts.some(Boolean) && (
        <p className="small secondary">
          <VisibleText text={facts.filter(Boolean).join(" · ")} />
        </p>
      )}
      <Warnings of={warnings} />
      <p className="small secondary">
        {off ? <span className="attention">! {i18n._(reasons[off])}</span> : t`✓ on`}
        {" · "}
        <Places paths={[origin]} />
      </p>
    </EntryLine>
  );
}
