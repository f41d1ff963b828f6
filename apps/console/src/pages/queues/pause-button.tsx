import type { ShownQueue } from '@errand/contracts';
import { useEffect, useState } from 'preact/hooks';
import { pauseQueue, resumeQueue } from '../../api/queue-requests.js';
import { isOperator } from '../../api/session.js';
import { ActionButton } from '../../parts/action-button.js';
import { Dialog } from '../../parts/dialog.js';
import { formatCount } from '../../parts/format.js';
import { isStale } from '../../live/live-state.js';
import { showToast } from '../../shell/toasts.js';

interface Props {
  queue: ShownQueue;
  onChange: (queue: ShownQueue) => void;
}

/** Pauses a queue after a note, or resumes it. Only the operator has it. */
export function PauseButton({ queue, onChange }: Props) {
  const [isAsking, setAsking] = useState(false);
  const isPaused = queue.paused !== null;
  // Somebody else has paused the queue: the question is answered, and must not come back when the queue is resumed.
  useEffect(() => {
    if (isPaused) setAsking(false);
  }, [isPaused]);
  if (!isOperator.value) return null;
  if (isPaused)
    return (
      <ActionButton
        testId="resume"
        look="primary"
        forOperator
        onAction={async () => {
          onChange(await resumeQueue(queue.name));
          showToast(`The queue ${queue.name} is resumed`);
        }}
      >
        Resume
      </ActionButton>
    );
  return (
    <>
      <button
        type="button"
        class="button"
        data-testid="pause"
        disabled={isStale.value}
        aria-label={`Pause ${queue.name}`}
        onClick={() => setAsking(true)}
      >
        Pause…
      </button>
      {isAsking && <PauseDialog queue={queue} onChange={onChange} onClose={() => setAsking(false)} />}
    </>
  );
}

const LONGEST_NOTE = 1_000;

function PauseDialog({ queue, onChange, onClose }: Props & { onClose: () => void }) {
  const [note, setNote] = useState('');
  const pause = async () => {
    onChange(await pauseQueue(queue.name, note.trim()));
    showToast(`The queue ${queue.name} is paused`);
    onClose();
  };
  return (
    <Dialog
      title={`Pause ${queue.name}`}
      testId="pause-dialog"
      onClose={onClose}
      footer={
        <>
          <button type="button" class="button" onClick={onClose}>
            Keep it running
          </button>
          <ActionButton testId="pause-confirm" look="danger" forOperator onAction={pause}>
            Pause the queue
          </ActionButton>
        </>
      }
    >
      <p>
        No further job of this queue starts, in any process. {runningText(queue.active)} Submissions are accepted, and
        wait until somebody resumes the queue.
      </p>
      <div class="field">
        <label for="pause-note">Why? Everybody whose work waits reads this.</label>
        <textarea
          id="pause-note"
          class="textarea pause-note"
          data-testid="pause-note"
          maxLength={LONGEST_NOTE}
          autoFocus
          placeholder="The package registry is down"
          value={note}
          onInput={(event) => setNote(event.currentTarget.value)}
        />
      </div>
    </Dialog>
  );
}

function runningText(active: number): string {
  if (active === 0) return 'No job runs now.';
  return active === 1 ? 'The job that runs now goes on.' : `The ${formatCount(active)} jobs that run now go on.`;
}
