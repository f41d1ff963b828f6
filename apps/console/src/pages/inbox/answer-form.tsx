import type { InboxItem } from '@errand/contracts';
import { useId, useState } from 'preact/hooks';
import { send } from '../../api/call-api.js';
import { messageOf, RefusedRequest } from '../../api/problems.js';
import { hasScope } from '../../api/session.js';
import { initialText } from '../../forms/initial-text.js';
import { JsonEditor } from '../../forms/json-editor.js';
import { jsonProblem } from '../../forms/json-problem.js';
import { LazyForm } from '../../forms/lazy-form.js';
import { isStale } from '../../live/live-state.js';
import { ActionButton } from '../../parts/action-button.js';
import { CopyButton } from '../../parts/copy-button.js';
import { showToast } from '../../shell/toasts.js';
import { HostileText } from '../../text/hostile-text.js';
import { markedString } from '../../text/mark-text.js';
import { bodyOf } from './answer-body.js';
import { dropDraft, keepDraft, readDraft } from './answer-drafts.js';

interface Props {
  item: InboxItem;
  /** The wait has ended without this answer. */
  isGone: boolean;
  /** The answer is stored, or the draft of an ended wait is discarded. */
  onDone: () => void;
}

/** The answer to a wait: a form of its schema, or JSON. What is typed stays until it is sent or discarded. */
export function AnswerForm({ item, isGone, onDone }: Props) {
  const id = useId();
  const [untouched] = useState(() => (item.output === null ? '' : initialText(item.output)));
  const [text, setText] = useState(() => readDraft(item.id)?.text ?? untouched);
  const [reason, setReason] = useState(() => readDraft(item.id)?.reason ?? '');
  const [problem, setProblem] = useState<string>();
  const [isTaken, setTaken] = useState(false);
  const change = (next: string) => {
    setText(next);
    setProblem(undefined);
    keepDraft({ item, text: next, reason });
  };
  const changeReason = (next: string) => {
    setReason(next);
    keepDraft({ item, text, reason: next });
  };
  const done = (word: string) => {
    dropDraft(item.id);
    showToast(word);
    onDone();
  };
  const post = async (answer: string, word: string) => {
    try {
      await send<object>('POST', item.links.answer, { bodyText: bodyOf(item, answer) });
      done(word);
    } catch (error) {
      if (error instanceof RefusedRequest && error.status === 409) {
        setTaken(true);
        // The page shows an ended wait as long as it has a draft.
        if (readDraft(item.id) === undefined) keepDraft({ item, text, reason });
      }
      setProblem(messageOf(error));
    }
  };
  const submit = async () => {
    if (text.trim() === '') setProblem('Give an answer first');
    else if (jsonProblem(text) === undefined) await post(`"result": ${text}`, 'The answer is stored');
    else focusEditor(`${id}-json`);
  };
  const refuse = () =>
    post(
      `"error": ${JSON.stringify({ message: reason.trim() || 'A person refused to answer' })}`,
      'The answer is refused',
    );
  if (!hasScope('operate')) return <p class="faint">Your key may not answer: it does not have the scope operate.</p>;
  const isOver = isGone || isTaken;
  const isKept = text !== untouched || reason !== '';
  return (
    <form
      class="answer"
      data-testid="answer-form"
      aria-label={`Answer to ${markedString(item.toolId)}, ${item.id}`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isStale.value) void submit();
      }}
    >
      {isOver && <TakenNotice isKept={isKept} problem={problem} />}
      <AnswerFields id={id} item={item} text={text} onText={change} />
      {isOver && (
        <KeptText
          text={text === untouched ? '' : text}
          onDiscard={() => done(isKept ? 'The text is discarded' : 'The question is discarded')}
        />
      )}
      {problem !== undefined && !isOver && (
        <p class="field-error" role="alert" data-testid="answer-problem">
          <HostileText text={problem} />
        </p>
      )}
      <div class="answer-actions">
        <ActionButton testId="answer-submit" look="primary" onAction={submit}>
          Answer
        </ActionButton>
        <Refusing id={`${id}-reason`} reason={reason} onReason={changeReason} onRefuse={refuse} />
      </div>
    </form>
  );
}

/** The editor names its mistake itself. */
function focusEditor(id: string): void {
  const editor = document.getElementById(id);
  editor?.closest('details')?.toggleAttribute('open', true);
  editor?.focus();
}

interface RefusingProps {
  id: string;
  reason: string;
  onReason: (reason: string) => void;
  onRefuse: () => Promise<void>;
}

function Refusing({ id, reason, onReason, onRefuse }: RefusingProps) {
  return (
    <>
      <label class="visually-hidden" for={id}>
        Reason to refuse
      </label>
      <input
        id={id}
        class="input"
        placeholder="Reason to refuse (optional)"
        value={reason}
        onInput={({ currentTarget }) => onReason(currentTarget.value)}
        // Enter would submit the form: it would send the answer, although the person wants to refuse.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <ActionButton testId="answer-refuse" look="danger" onAction={onRefuse}>
        Refuse
      </ActionButton>
    </>
  );
}

interface FieldsProps {
  id: string;
  item: InboxItem;
  text: string;
  onText: (text: string) => void;
}

function AnswerFields({ id, item: { output }, text, onText }: FieldsProps) {
  const hint = 'Any JSON value. A text is in double quotes: "yes"';
  if (output === null || output === true)
    return <JsonEditor id={`${id}-json`} label="Answer as JSON" text={text} onText={onText} hint={hint} />;
  return (
    <>
      <LazyForm schema={output} text={text} onText={onText} name="answer" />
      <details>
        <summary>JSON</summary>
        <JsonEditor id={`${id}-json`} label="The answer as it is sent" text={text} onText={onText} />
      </details>
    </>
  );
}

/** Somebody else was first. The form stays as it is: the server decides whether the wait has really ended. */
export function TakenNotice({ isKept, problem }: { isKept: boolean; problem?: string | undefined }) {
  return (
    <p class="notice-line" role="alert" data-testid="answer-taken">
      This does not wait any more: somebody else has answered it, or it has ended.{' '}
      {isKept && 'What you typed is kept. '}
      {problem !== undefined && <HostileText text={problem} />}
    </p>
  );
}

/** What was typed, as text to copy. */
function KeptText({ text, onDiscard }: { text: string; onDiscard: () => void }) {
  return (
    <>
      {text !== '' && (
        <pre class="json-text" tabIndex={0} role="group" aria-label="What you typed" data-testid="kept-text">
          <HostileText text={text} />
        </pre>
      )}
      <div class="answer-actions">
        {text !== '' && <CopyButton text={text}>Copy the text</CopyButton>}
        <button type="button" class="button button-small" onClick={onDiscard}>
          Discard
        </button>
      </div>
    </>
  );
}
