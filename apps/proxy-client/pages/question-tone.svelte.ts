const STORED = 'question-tone';
const TONE_HZ = 880;
const TONE_SECONDS = 0.15;

/** A short tone for a person who looks at another window when a question is asked. The choice is stored in this browser. */
class QuestionTone {
  #isOn = $state(localStorage.getItem(STORED) !== 'off');

  get isOn(): boolean {
    return this.#isOn;
  }

  set isOn(isOn: boolean) {
    this.#isOn = isOn;
    localStorage.setItem(STORED, isOn ? 'on' : 'off');
  }

  play(): void {
    if (!this.#isOn) return;
    const audio = new AudioContext();
    // Browsers allow no sound before the first click on a page, and limit the number of open contexts.
    if (audio.state === 'suspended') {
      void audio.close();
      return;
    }
    const tone = audio.createOscillator();
    tone.frequency.value = TONE_HZ;
    tone.connect(audio.destination);
    tone.onended = () => void audio.close();
    tone.start();
    tone.stop(audio.currentTime + TONE_SECONDS);
  }
}

export const questionTone = new QuestionTone();
