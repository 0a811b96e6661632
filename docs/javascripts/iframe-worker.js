// Lets the search run on pages that are opened from a folder: a browser starts no Worker from file://. In its place, a hidden
// frame runs the script, and the messages of both sides are passed on. mkdocs-material's search asks for the name
// IFrameWorker, and its plugin "offline" for the name of this file.
"use strict";
(() => {
  class IFrameWorker extends EventTarget {
    #frame = document.createElement("iframe");
    #ready;

    constructor(url) {
      super();
      this.#frame.hidden = true;
      this.#frame.srcdoc = "<!doctype html>"; // an empty document of the same origin
      this.#ready = new Promise((resolve, reject) => {
        this.#frame.addEventListener("load", () => {
          const inside = this.#frame.contentWindow;
          inside.postMessage = (data) =>
            this.dispatchEvent(new MessageEvent("message", { data: structuredClone(data) }));
          const script = inside.document.createElement("script");
          script.src = new URL(url, location.href).href;
          script.addEventListener("load", resolve);
          script.addEventListener("error", () => reject(new Error(`${script.src} cannot be loaded`)));
          inside.document.head.append(script);
        });
      });
      document.body.append(this.#frame);
    }

    async postMessage(data) {
      await this.#ready;
      const inside = this.#frame.contentWindow;
      inside.dispatchEvent(new inside.MessageEvent("message", { data: inside.structuredClone(data) }));
    }

    terminate() {
      this.#frame.remove();
    }
  }

  if (location.protocol === "file:") {
    window.IFrameWorker = IFrameWorker;
    window.Worker = IFrameWorker;
  }
})();
