// What moves in the window: the palette, keys in lists, colours, and what comes by server-sent events. Every page
// works without it, as forms and links; nothing here knows words that the page does not carry.

const find = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const csrf = document.body.dataset.csrf;
const isTyping = (target) => target.closest?.("input, textarea, select, [contenteditable]");

const toast = (words) => {
  const line = document.createElement("p");
  line.className = "toast";
  line.textContent = words;
  find("#toasts").append(line);
  setTimeout(() => line.remove(), 6000);
};

// The server answers a form with 303; the page itself is told by an event.
const post = (form, submitter) =>
  fetch(form.action, {
    method: "POST",
    body: form.enctype === "multipart/form-data"
      ? new FormData(form, submitter) : new URLSearchParams(new FormData(form, submitter)),
    redirect: "manual",
  }).then((answer) => {
    if (answer.type !== "opaqueredirect" && !answer.ok) throw new Error(String(answer.status));
  });

// Whether the program still knows this browser, by another page that signed in since if need be: the form goes by that
// one's sign-in then.
const isSignedIn = async (form) => {
  const answer = await fetch("/settings").catch(() => null);
  if (!answer?.ok) {
    toast(answer?.status === 401 ? document.body.dataset.signedOut : document.body.dataset.unsent);
    return false;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  find("[name=csrf]", form).value = page.body.dataset.csrf;
  return true;
};

// The program's own HTML, escaped and cleaned where it is made.
const fragment = (html) => {
  const box = document.createElement("template");
  box.innerHTML = html;
  return box.content.firstElementChild;
};

/* Colours: as the system, light, dark. Kept in a cookie by the server, so that the next page comes in them at once. */
const themes = [["system", "System colours"], ["light", "Light"], ["dark", "Dark"]];
const themeForm = find("[data-theme-form]");
themeForm?.addEventListener("submit", (event) => {
  event.preventDefault();
  const now = document.documentElement.dataset.theme;
  const button = find("button", themeForm);
  const next = button.value;
  const after = themes[(themes.findIndex(([name]) => name === next) + 1) % themes.length][0];
  post(themeForm, button).catch(() => {});
  document.documentElement.dataset.theme = next;
  button.value = after;
  find("[data-theme-label]", button).textContent = themes.find(([name]) => name === next)?.[1] ?? now;
});
if (themeForm) themeForm.elements.back.value = location.pathname + location.search;

/* Keys in lists: j and k go through the rows of the page, Enter opens, Esc goes up. */
const step = (by) => {
  const rows = all("[data-list] a.row").filter((row) => row.offsetParent);
  if (!rows.length) return false;
  const at = rows.indexOf(document.activeElement);
  const current = rows.findIndex((row) => row.hasAttribute("aria-current"));
  const from = at >= 0 ? at : current >= 0 ? current : by > 0 ? -1 : rows.length;
  const row = rows[Math.min(Math.max(from + by, 0), rows.length - 1)];
  row.focus();
  row.scrollIntoView({ block: "nearest" });
  return true;
};

document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.defaultPrevented) return;
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    openPalette();
  } else if (event.ctrlKey || event.metaKey || event.altKey || find("dialog[open]")) {
    return;
  } else if (event.key === "Escape") {
    const stop = find("[data-stop]:not([hidden])");
    if (stop) stop.click();
    else if (isTyping(event.target)) event.target.blur();
    else find("[data-up]")?.click();
  } else if (isTyping(event.target)) {
    return;
  } else if (event.key === "j" || event.key === "k") {
    if (step(event.key === "j" ? 1 : -1)) event.preventDefault();
  } else if (event.key === "e") {
    find("[data-edit]")?.click();
  }
});

/* The palette. */
const palette = find("#palette");
let choices = [];
let chosen = 0;

const everything = () => {
  const links = all(".nav a").map((link) => ({ words: link.textContent.trim(), kind: "Page", href: link.href }));
  // Pages behind those of the rail, once somebody lives here.
  const behind = links.some(({ href }) => new URL(href).pathname === "/xray")
    ? all("[data-go] a", palette).map((link) => ({ words: link.textContent, kind: "Page", href: link.href })) : [];
  const doings = all("[data-part=back] button:not([disabled]), .doings button").filter((button) => button.offsetParent)
    .map((button) => ({ words: button.textContent.replace(/\s+/g, " ").trim(), kind: "Do here", run: () => button.click() }));
  const rows = all("[data-list] a.row").slice(0, 300).map((row) => ({
    words: row.innerText.replace(/\s+/g, " ").trim(), kind: "On this page", href: row.href,
  }));
  const parts = all(".jump a").map((link) => ({ words: link.textContent, kind: "Part of this turn", href: link.href }));
  const colours = themes.map(([name, label]) => ({ words: label, kind: "Setting", run: () => setTheme(name) }));
  const stop = find("[data-stop]:not([hidden])");
  const signOut = find("[data-sign-out]");
  return [
    ...(stop ? [{ words: "Stop the answer", kind: "Talk", run: () => stop.click() }] : []),
    ...links, ...doings, ...parts, ...behind, ...rows, ...colours,
    ...(signOut ? [{ words: signOut.textContent, kind: "Setting", run: () => signOut.click() }] : []),
  ];
};

const setTheme = (name) => {
  const button = find("button", themeForm);
  button.value = name;
  button.click();
};

const offered = (words) => {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = everything().filter((one) => wanted.every((word) => one.words.toLowerCase().includes(word)));
  const has = (path) => all(".nav a").some((link) => link.pathname === path);
  const turn = /^t?(\d+)$/i.exec(words.trim());
  if (turn && has("/xray")) fits.unshift({ words: `Turn t${turn[1]}`, kind: "X-ray", href: `/xray/t${turn[1]}` });
  if (wanted.length && has("/memory")) {
    fits.push({ words: `Notes with “${words.trim()}”`, kind: "Memory", href: `/memory?q=${encodeURIComponent(words.trim())}` });
  }
  return fits.slice(0, 40);
};

const showChoices = () => {
  const list = find("ul", palette);
  list.replaceChildren(...choices.map((one, index) => {
    const item = document.createElement("li");
    item.id = `choice-${index}`;
    item.role = "option";
    item.setAttribute("aria-selected", String(index === chosen));
    const [words, kind] = [document.createElement("span"), document.createElement("span")];
    words.className = "cut";
    words.textContent = one.words;
    words.dir = "auto";
    kind.textContent = one.kind;
    item.append(words, kind);
    item.addEventListener("click", () => choose(one));
    return item;
  }));
  find("p", palette).hidden = choices.length > 0;
  list.hidden = !choices.length;
  const ask = find(".ask", palette);
  if (choices.length) ask.setAttribute("aria-activedescendant", `choice-${chosen}`);
  else ask.removeAttribute("aria-activedescendant");
  find("[aria-selected=true]", list)?.scrollIntoView({ block: "nearest" });
};

const choose = (one) => {
  palette.close();
  if (!one) return;
  if (one.run) one.run();
  else location.assign(one.href);
};

const openPalette = () => {
  if (!palette || palette.open) return;
  find(".ask", palette).value = "";
  [choices, chosen] = [offered(""), 0];
  showChoices();
  palette.showModal();
  find(".ask", palette).focus();
};

if (palette) {
  const ask = find(".ask", palette);
  ask.addEventListener("input", () => {
    [choices, chosen] = [offered(ask.value), 0];
    showChoices();
  });
  ask.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by && choices.length) {
      event.preventDefault();
      chosen = (chosen + by + choices.length) % choices.length;
      showChoices();
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(choices[chosen]);
    }
  });
  palette.addEventListener("click", (event) => event.target === palette && palette.close());
  const opener = find("[data-open-palette]");
  opener.hidden = false;
  opener.addEventListener("click", openPalette);
  if (/Mac|iP/.test(navigator.platform)) find("[data-key]").textContent = "⌘ K";
}

/* Tables of a turn can be narrowed by words. */
for (const input of all("[data-filter]")) {
  input.closest("[data-filter-label]").hidden = false;
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase();
    for (const row of all(input.dataset.filter)) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}

// The part of a turn that is being read is marked in the row of its parts.
const jumps = new Map(all(".jump a").map((link) => [link.hash.slice(1), link]));
if (jumps.size) {
  const seen = new IntersectionObserver((entries) => {
    const top = entries.filter((entry) => entry.isIntersecting)[0];
    if (!top) return;
    for (const [id, link] of jumps) link.classList.toggle("here", id === top.target.id);
  }, { rootMargin: "-12% 0px -80% 0px" });
  for (const id of jumps.keys()) {
    const part = document.getElementById(id);
    if (part) seen.observe(part);
  }
}

/* Talk. */
const log = find("[data-log]");
const say = find("[data-say]");
const isAtEnd = () => innerHeight + scrollY >= document.documentElement.scrollHeight - 160;
const toEnd = () => scrollTo({ top: document.documentElement.scrollHeight });

// What changes the log keeps whoever reads its end there, and nobody else.
const changing = (change) => {
  const follow = isAtEnd();
  change();
  if (follow) toEnd();
};

const busy = (is) => {
  const stop = find("[data-stop]");
  if (stop) stop.hidden = !is;
};

const ofTurn = (turn) => turn && find(`[data-turn="${CSS.escape(turn)}"]`, log);

// An answer that is being given, as far as it goes.
const live = ({ turn, html }) => {
  const [there, now] = [ofTurn(turn), fragment(html)];
  if (!there) log.append(now);
  else if (there.classList.contains("streaming")) find(".body", there).replaceChildren(...find(".body", now).childNodes);
  else return;
  busy(true);
};

const addMessage = ({ turn, html }) => {
  const message = fragment(html);
  if (!message) return;
  const there = ofTurn(turn);
  find("[data-empty]")?.remove();
  if (there) there.replaceWith(message);
  else {
    // A person's words come before an answer that is already being written.
    const streaming = message.classList.contains("person") && find(".streaming", log);
    if (streaming) streaming.before(message);
    else log.append(message);
  }
};

const onTalk = {
  message: (data) => changing(() => addMessage(data)),
  notice: (data) => changing(() => addMessage({ html: data.html })),
  typing: (data) => changing(() => live(data)),
  piece: (data) => changing(() => live(data)),
  // Something new is said: what the program said of before is over.
  over: () => changing(() => all(".message.program, [data-notice]").forEach((one) => one.remove())),
  question: ({ question, html }) => changing(() => {
    if (find(`[data-question="${question}"]`, log)) return;
    const form = fragment(html);
    form.elements.csrf.value = csrf;
    log.append(form);
  }),
  gone: ({ messages }) => {
    for (const id of messages) find(`[data-message="${CSS.escape(id)}"]`, log)?.remove();
    again("back");
  },
  changed: ({ message, html }) => {
    find(`[data-message="${CSS.escape(message)}"]`, log)?.replaceWith(fragment(html));
    again("back");
  },
  answered: ({ question }) => changing(() => find(`[data-question="${question}"]`, log)?.remove()),
  done: ({ turn }) => changing(() => {
    const article = ofTurn(turn);
    if (article?.classList.contains("streaming")) {
      if (find(".thinking", article)) article.remove();
      else {
        article.classList.remove("streaming");
        article.removeAttribute("aria-busy");
      }
    }
    busy(Boolean(find(".streaming", log)));
    again("back");
  }),
};

/* Pictures that are sent with what one says: chosen, pasted or dropped, and shown small until then. */
const picture = find("#picture");
const PICTURES_MAX = 4;
const isPicture = (file) => file.type.startsWith("image/");
const showThumbs = () => {
  const list = find("[data-thumbs]");
  const files = [...picture.files];
  list.hidden = !files.length;
  list.replaceChildren(...files.map((file) => {
    const [item, image, button] = ["li", "img", "button"].map((name) => document.createElement(name));
    const reader = new FileReader();
    reader.addEventListener("load", () => { image.src = reader.result; });
    reader.readAsDataURL(file);
    image.alt = "";
    button.type = "button";
    button.className = "quiet";
    button.textContent = list.dataset.remove;
    button.setAttribute("aria-label", `${list.dataset.remove} ${file.name}`);
    button.addEventListener("click", () => {
      holdPictures([...picture.files].filter((one) => one !== file));
      find("textarea", say).focus();
    });
    item.append(image, button);
    return item;
  }));
};
const holdPictures = (files) => {
  const { dataset } = find("main");
  const fitting = files.filter((file) => file.size <= Number(dataset.most));
  if (fitting.length < files.length) toast(dataset.tooLarge);
  const held = new DataTransfer();
  for (const file of fitting.slice(0, PICTURES_MAX)) held.items.add(file);
  picture.files = held.files;
  showThumbs();
};
const takePictures = (event, data) => {
  const pictures = [...(data?.files ?? [])].filter(isPicture);
  if (!pictures.length) return;
  event.preventDefault();
  if (picture) holdPictures([...picture.files, ...pictures]);
  else toast(find("main").dataset.nobodySees);
};
const pictured = find("main[data-pictures]");
if (pictured) {
  picture?.addEventListener("change", () => holdPictures([...picture.files]));
  // Word processors put a picture of the words beside the words.
  document.addEventListener("paste", (event) => {
    if (!event.clipboardData?.types.includes("text/plain")) takePictures(event, event.clipboardData);
  });
  for (const [name, is] of [["dragenter", true], ["dragover", true], ["dragleave", false], ["drop", false]]) {
    pictured.addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      pictured.classList.toggle("over", is);
      if (name === "drop") takePictures(event, event.dataTransfer);
    });
  }
}

if (say) {
  const words = find("textarea", say);
  const saysSomething = () => Boolean(words.value.trim() || picture?.files.length);
  // What is being written outlives its page: one that is loaded anew, or whose sign-in is gone.
  const keepDraft = () => sessionStorage.setItem("draft", words.value);
  words.value ||= sessionStorage.getItem("draft") ?? "";
  words.addEventListener("input", keepDraft);
  // Where the stylesheet cannot let the field grow with what is written.
  const grow = () => {
    words.style.height = "auto";
    words.style.height = `${words.scrollHeight + 2}px`;
  };
  if (!CSS.supports("field-sizing", "content")) words.addEventListener("input", grow);
  words.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || matchMedia("(pointer: coarse)").matches) return;
    event.preventDefault();
    if (saysSomething()) say.requestSubmit();
  });
  say.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!saysSomething()) return;
    const [said, pictures] = [words.value, picture ? [...picture.files] : []];
    // Without the stream nothing would come back: then the page is loaded anew.
    const isDeaf = !stream || stream.readyState === EventSource.CLOSED;
    post(say).then(() => {
      keepDraft();
      if (isDeaf) location.reload();
    }).catch(async ({ message }) => {
      words.value = [said, words.value].filter(Boolean).join("\n");
      keepDraft();
      if (pictures.length && !picture.files.length) holdPictures(pictures);
      // Why it is not sent stands on the page itself.
      if (message === "422" && !isDeaf) return;
      if (!["401", "403"].includes(message) || await isSignedIn(say)) toast(say.dataset.failed);
    });
    if (picture) holdPictures([]);
    words.value = "";
    words.style.height = "";
    words.focus();
    toEnd();
  });
  if (matchMedia("(pointer: fine)").matches) words.focus({ preventScroll: true });
}
if (log && ["talk", "room"].includes(find("main").dataset.topic)) {
  toEnd();
  // A face that came late may have made the page longer.
  document.fonts.ready.then(toEnd);
}
log?.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-question]")) return;
  event.preventDefault();
  post(form, event.submitter).catch(() => location.reload());
});
// What is opened beside the last reply would end below the field; its first line stays in view.
log?.addEventListener("toggle", ({ target }) => {
  const { top, bottom } = target.getBoundingClientRect();
  const over = bottom + 16 - (find(".composer")?.getBoundingClientRect().top ?? innerHeight);
  if (target.open && over > 0) scrollBy(0, Math.min(over, Math.max(top - 64, 0)));
}, true);
find("[data-sign-out]")?.addEventListener("click", () => sessionStorage.removeItem("draft"));
/* The page that asks to sign in would take the place of what was written. */
for (const form of all("form.edit")) {
  const field = find("textarea, input:not([type])", form);
  // Where nothing was written nothing can be lost.
  if (!field) continue;
  // Nobody can go back to an answer to a form; to its page they can, and find there what they wrote, unless it was saved.
  const { way } = form.dataset;
  if (!way) field.value = history.state?.written ?? field.value;
  // A note has a page once it is there.
  else if (!form.matches("[data-new]")) history.replaceState({ written: field.value }, "", way);
  let [isAsking, isAsked] = [false, false];
  form.addEventListener("submit", async (event) => {
    if (isAsked) {
      if (event.submitter?.value === "save") history.replaceState(null, "", way);
      return;
    }
    event.preventDefault();
    if (isAsking) return;
    isAsking = true;
    isAsked = await isSignedIn(form);
    isAsking = false;
    if (isAsked) form.requestSubmit(event.submitter);
  });
  // Back from another page it is asked anew.
  addEventListener("pageshow", () => { isAsked = false; });
}
/* A reply said aloud; its button, once more, ends it. */
const hear = find("#hear");
let sound = null;
hear?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = event.submitter;
  const isSame = sound?.button === button;
  sound?.stop();
  if (isSame || !button) return;
  const air = new AudioContext();
  const asked = new AbortController();
  const stop = () => {
    if (sound?.button !== button) return;
    sound = null;
    // Nobody waits for what is still being made.
    asked.abort();
    air.close();
    button.removeAttribute("aria-pressed");
  };
  sound = { button, stop };
  button.setAttribute("aria-pressed", "true");
  try {
    const body = new URLSearchParams(new FormData(hear, button));
    const answer = await fetch(hear.action, { method: "POST", body, redirect: "manual", signal: asked.signal });
    // Why there is no sound is told on the page itself.
    if (answer.type === "opaqueredirect") return stop();
    if (!answer.ok) throw new Error(String(answer.status));
    const source = air.createBufferSource();
    source.buffer = await air.decodeAudioData(await answer.arrayBuffer());
    if (sound?.button !== button) return;
    source.connect(air.destination);
    source.addEventListener("ended", stop);
    source.start();
  } catch {
    if (sound?.button === button) toast(hear.dataset.failed);
    stop();
  }
});
for (const form of all("[data-quiet]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    post(form, event.submitter).catch(() => location.reload());
  });
}

// A form that takes a while says so, and is sent once.
for (const form of all("[data-waits]")) {
  form.addEventListener("submit", () => {
    const button = find("button", form);
    if (!button) return;
    button.textContent = form.dataset.waits;
    button.setAttribute("aria-disabled", "true");
    form.addEventListener("submit", (event) => event.preventDefault());
  });
}

/* What cannot be what a field asks for is told as it is pasted, and not sent; the server looks once more. */
for (const field of all("[data-shape]")) {
  const others = all("[data-unlike]", field.form);
  const wrong = (value) => {
    if (!value || new RegExp(field.dataset.shape).test(value)) return "";
    return others.find((one) => new RegExp(one.dataset.unlike).test(value))?.textContent ?? field.dataset.wrong;
  };
  field.addEventListener("input", (event) => {
    field.setCustomValidity(wrong(field.value.trim()));
    if (event.inputType === "insertFromPaste") field.reportValidity();
  });
}

/* A card may be dropped anywhere on the page that takes one. */
const drop = find("[data-drop]");
if (drop) {
  const [page, input] = [find("[data-drop-page]"), find("[type=file]", drop)];
  const isFine = () => {
    const fits = [...input.files].every((file) => file.size <= Number(drop.dataset.most));
    if (!fits) {
      input.value = "";
      toast(drop.dataset.tooLarge);
    }
    return fits;
  };
  input.addEventListener("change", isFine);
  for (const [name, is] of [["dragenter", true], ["dragover", true], ["dragleave", false], ["drop", false]]) {
    page.addEventListener(name, (event) => {
      event.preventDefault();
      page.classList.toggle("over", is);
    });
  }
  page.addEventListener("drop", ({ dataTransfer }) => {
    if (!dataTransfer.files.length) return;
    input.files = dataTransfer.files;
    if (isFine()) drop.requestSubmit();
  });
  // How far it is sent; how long it is read nobody can tell, so that the bar has no end then.
  const [sent, bar, told, button] =
    ["[data-sent]", "progress", "[data-told]", "button"].map((part) => find(part, drop));
  const shows = (words, is = Boolean(words)) => {
    told.textContent = words ?? "";
    sent.hidden = !is;
    button.setAttribute("aria-disabled", String(is));
  };
  const refused = (html) => {
    const page = new DOMParser().parseFromString(html ?? "", "text/html");
    const why = find("main [role=alert]", page);
    if (!why) return toast(drop.dataset.failed);
    find("main [role=alert]")?.remove();
    find(".lead").after(why);
    why.scrollIntoView({ block: "nearest" });
  };
  drop.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!sent.hidden) return;
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", ({ lengthComputable, loaded, total }) => {
      if (lengthComputable) bar.value = loaded / total;
    });
    request.upload.addEventListener("load", () => {
      bar.removeAttribute("value");
      shows(drop.dataset.reading);
    });
    request.addEventListener("load", () => {
      // Where it moved in, the answer is the page that says so.
      if (request.status === 200) return location.assign(request.responseURL);
      shows();
      refused(request.responseText);
    });
    request.addEventListener("error", () => {
      shows();
      toast(drop.dataset.failed);
    });
    bar.value = 0;
    shows(drop.dataset.sending);
    request.open("POST", drop.action);
    request.send(new FormData(drop));
  });
}

/* The drawing of people and topics comes nearer: by its buttons, by + and -, by the wheel with Ctrl, and by the wheel alone
   once it is near. Then it is moved by the pointer, or by the arrows where a button has the focus. */
const map = find("[data-map]");
if (map) {
  const { x, y, width, height } = map.viewBox.baseVal;
  const [whole, nearest] = [{ x, y, width, height }, 12];
  const at = { x, y, times: 1 };
  let held, wasMoved = false;
  const controls = find("[data-zoom]");
  const within = (value, from, to) => Math.min(Math.max(value, from), to);
  const shows = () => {
    const [wide, high] = [whole.width / at.times, whole.height / at.times];
    at.x = within(at.x, whole.x, whole.x + whole.width - wide);
    at.y = within(at.y, whole.y, whole.y + whole.height - high);
    map.setAttribute("viewBox", `${at.x} ${at.y} ${wide} ${high}`);
    map.classList.toggle("near", at.times > 1);
  };
  const point = ({ clientX, clientY }) => new DOMPoint(clientX, clientY).matrixTransform(map.getScreenCTM().inverse());
  const middle = () =>
    ({ x: at.x + whole.width / at.times / 2, y: at.y + whole.height / at.times / 2 });
  // What lies at this point stays where it is.
  const zooms = (by, to = middle()) => {
    const times = within(at.times * by, 1, nearest);
    at.x = to.x - (to.x - at.x) * at.times / times;
    at.y = to.y - (to.y - at.y) * at.times / times;
    at.times = times;
    shows();
  };
  const moves = (byX, byY) => {
    at.x += byX;
    at.y += byY;
    shows();
  };
  controls.hidden = false;
  controls.addEventListener("click", (event) => {
    const button = event.target.closest("[data-by]");
    if (button) zooms(Number(button.dataset.by));
  });
  controls.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!to || at.times === 1 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    moves(to[0] * whole.width / at.times / 8, to[1] * whole.height / at.times / 8);
  });
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target) || find("dialog[open]")) return;
    const by = { "+": 1.5, "=": 1.5, "-": 1 / 1.5, 0: 0 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    zooms(by);
  });
  map.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && at.times === 1) return;
    event.preventDefault();
    zooms(1.0015 ** -within(event.deltaY, -300, 300), point(event));
  }, { passive: false });
  map.addEventListener("dragstart", (event) => event.preventDefault());
  map.addEventListener("pointerdown", (event) => {
    wasMoved = false;
    if (at.times > 1 && event.isPrimary && event.button === 0) held = point(event);
  });
  map.addEventListener("pointermove", (event) => {
    // Let go of outside.
    if (!(event.buttons & 1)) held = undefined;
    if (!held || !event.isPrimary) return;
    const now = point(event);
    // A hand that is not quite still presses a link all the same.
    if (!wasMoved && Math.hypot(now.x - held.x, now.y - held.y) * at.times < whole.width / 200) return;
    wasMoved = true;
    map.setPointerCapture(event.pointerId);
    moves(held.x - now.x, held.y - now.y);
  });
  for (const name of ["pointerup", "pointercancel"]) map.addEventListener(name, () => held = undefined);
  map.addEventListener("click", (event) => wasMoved && event.preventDefault(), true);
}

/* What comes by itself. */
const onTurns = {
  turn: ({ turn, html, day, place, kind }) => {
    const rows = find("[data-rows][data-live]");
    if (!rows || (rows.dataset.only ?? place) !== place || rows.dataset.without === kind) return;
    find("[data-empty]")?.remove();
    const row = fragment(html);
    row.classList.add("fresh");
    const there = find(`[data-turn="${CSS.escape(turn)}"]`, rows);
    if (there) return there.replaceWith(row);
    let heading = find(".date", rows);
    if (heading?.textContent !== day) {
      heading = document.createElement("li");
      heading.className = "date";
      heading.textContent = day;
      rows.prepend(heading);
    }
    heading.after(row);
  },
};

// Something was missed, or is told only as "look again": the parts of the page that change are fetched anew.
const fetched = async (way = location.href) => {
  const answer = await fetch(way);
  return answer.ok && new DOMParser().parseFromString(await answer.text(), "text/html");
};
// One of them alone.
const again = async (part) => {
  const now = find(`[data-part="${part}"]`, (await fetched()) || document);
  const there = find(`[data-part="${part}"]`);
  if (there && now !== there) there.replaceChildren(...now.childNodes);
};
let [isLooking, isStale] = [false, false];
const lookAgain = async () => {
  // What changes often is fetched once more behind a look that is on its way, and not once for each change.
  isStale = true;
  if (isLooking) return;
  isLooking = true;
  try {
    while (isStale) {
      isStale = false;
      await look();
    }
  } finally {
    isLooking = false;
  }
};
const look = async () => {
  const page = await fetched();
  if (!page) return;
  const focused = document.activeElement?.closest?.("a.row")?.getAttribute("href");
  changing(() => {
    for (const part of all("[data-part]")) {
      const now = find(`[data-part="${part.dataset.part}"]`, page);
      if (now) part.replaceChildren(...now.childNodes);
    }
    if (!find("[data-empty]", page)) find("[data-empty]")?.remove();
  });
  busy(Boolean(find("[data-stop]:not([hidden])", page)));
  if (focused) find(`a.row[href="${CSS.escape(focused)}"]`)?.focus();
};

/* A slider beside a field of a number writes there, and shows what the number makes of a past prompt. */
for (const slider of all("[data-slides]")) {
  const field = document.getElementById(slider.dataset.slides);
  let [waiting, newest] = [0, 0];
  const look = async () => {
    newest += 1;
    const mine = newest;
    const { tries } = slider.dataset;
    const query = new URLSearchParams(new FormData(slider.form));
    const page = await fetched(tries ? tries + encodeURIComponent(slider.value) : `${slider.form.action}?${query}`);
    if (!page || mine !== newest) return;
    for (const part of all("[data-part]")) {
      part.replaceChildren(...(find(`[data-part="${part.dataset.part}"]`, page)?.childNodes ?? []));
    }
    const told = find("[data-tried]");
    if (told) told.hidden = false;
  };
  slider.hidden = false;
  field.addEventListener("input", () => { slider.value = field.value; });
  slider.addEventListener("input", () => {
    field.value = slider.value;
    clearTimeout(waiting);
    waiting = setTimeout(() => look().catch(() => {}), 250);
  });
}

const main = find("main");
const onRoom = { now: ({ html }) => changing(() => find("[data-now]")?.replaceWith(fragment(html))) };
const topics = { talk: onTalk, turns: onTurns, room: onRoom };
let stream = null;
// The newest event this page knows of, which is told where it listens, so that it looks again only when it missed some.
let seen = main.dataset.seen ?? "";

const listen = () => {
  const { topic, place } = main.dataset;
  const handlers = topics[topic];
  if (!handlers || document.hidden) return;
  stream?.close();
  const query = new URLSearchParams({ topic, ...(place && { place }), ...(seen && { seen }) });
  stream = new EventSource(`/events?${query}`);
  const state = find("[data-live-state]");
  const told = (words) => {
    if (!state) return;
    state.hidden = !words;
    state.textContent = words;
  };
  for (const [name, handle] of Object.entries({ ...handlers, here: () => {}, stale: lookAgain })) {
    stream.addEventListener(name, (event) => {
      seen = event.lastEventId || seen;
      handle(JSON.parse(event.data || "{}"));
    });
  }
  stream.addEventListener("open", () => told(""));
  stream.addEventListener("error", async ({ target }) => {
    told(state?.dataset.lost);
    // The browser tries again by itself, unless the server refused.
    if (target.readyState !== EventSource.CLOSED) return;
    setTimeout(listen, 30_000);
    const answer = await fetch(location.href, { method: "HEAD" }).catch(() => null);
    if (answer?.status === 401 && stream === target) told(document.body.dataset.signedOut);
  });
};
listen();
// A page that is put away, or behind others, holds no connection: browsers have few of them for one address.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) stream?.close();
  else listen();
});
addEventListener("pagehide", () => stream?.close());
addEventListener("pageshow", (event) => event.persisted && location.reload());
