/** What was just done, told on the page that it leads to. */
class Told {
  text = $state('');
  transaction = $state('');
  #isNew = false;

  tell(text: string, transaction: string): void {
    this.text = text;
    this.transaction = transaction;
    this.#isNew = true;
  }

  /** To be called when another page opens: what has been told is over. */
  turnPage(): void {
    if (this.#isNew) this.#isNew = false;
    else this.text = '';
  }
}

export const told = new Told();
