import { Component, type ComponentChildren } from 'preact';
import { ErrorBoundary } from 'preact-iso';
import { PageCrash } from './page-crash.js';

interface Props {
  /** The address of the page. Another one is tried anew. */
  url: string;
  children: ComponentChildren;
}

/** Shows the exception of a page in its place, so that the rest of the console goes on. */
export class CrashGuard extends Component<Props, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static override getDerivedStateFromError(error: unknown) {
    return { error: error ?? new Error('A page failed without a reason') };
  }

  override componentDidUpdate({ url }: Props): void {
    if (url !== this.props.url && this.state.error !== undefined) this.setState({ error: undefined });
  }

  override render() {
    if (this.state.error !== undefined) return <PageCrash error={this.state.error} />;
    return <ErrorBoundary>{this.props.children}</ErrorBoundary>;
  }
}
