//! Modules that import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::{production_lines, root, rust_files, without_strings};

/// Modules of one crate, none of which holds another, do not import each other in a circle, however long: whoever reads one
/// would have to read them all.
#[test]
fn no_modules_import_each_other_in_a_circle() {
    let mut bases = vec![root().join("src")];
    bases.extend(fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path().join("src")));
    let mut found: Vec<String> = Vec::new();
    for base in bases {
        let modules = modules_under(&base);
        let imports =
            modules.iter().map(|(module, text)| (module.clone(), imported_by(module, text, &modules)));
        let circles = circles_in(&imports.collect());
        found.extend(circles.iter().map(|arrows| format!("{}: {}", base.display(), arrows.join(", "))));
    }
    assert!(found.is_empty(), "they import each other in a circle:\n{}", found.join("\n"));
}

/// A module by its path from the root of its crate.
type Module = Vec<String>;

/// What each module imports.
type Imports = BTreeMap<Module, BTreeSet<Module>>;

/// The modules that lead to each other, by the arrows between them.
fn circles_in(imports: &Imports) -> Vec<Vec<String>> {
    let reached: BTreeMap<_, _> = imports.keys().map(|from| (from, reached_from(from, imports))).collect();
    let mut circles = Vec::new();
    for (first, all) in &reached {
        let circle: Vec<&Module> = all.iter().copied().filter(|one| reached[one].contains(first)).collect();
        // Each of them leads to the same circle.
        if circle.first() == Some(first) {
            let mut arrows = Vec::new();
            for one in &circle {
                let within = imports[*one].iter().filter(|other| circle.contains(other));
                arrows.extend(within.map(|other| format!("{} -> {}", one.join("::"), other.join("::"))));
            }
            circles.push(arrows);
        }
    }
    circles
}

/// All modules that the imports of one lead to, and the imports of those.
fn reached_from<'a>(from: &Module, imports: &'a Imports) -> BTreeSet<&'a Module> {
    let mut reached = BTreeSet::new();
    let mut ahead: Vec<&Module> = imports[from].iter().collect();
    while let Some(module) = ahead.pop() {
        if reached.insert(module) {
            ahead.extend(&imports[module]);
        }
    }
    reached
}

/// The modules that are not there for tests, each a file, with their code.
fn modules_under(base: &Path) -> BTreeMap<Module, String> {
    let mut modules = BTreeMap::new();
    for file in rust_files(base) {
        let path = file.strip_prefix(base).unwrap().with_extension("");
        let mut module: Module = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let is_test = |part: &String| part == "tests" || part.ends_with("_tests") || part == "testing";
        if module.iter().any(is_test) {
            continue;
        }
        if module.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
            module.pop();
        }
        let text = fs::read_to_string(&file).unwrap();
        let code: Vec<String> = production_lines(&text).map(|(_, line)| without_strings(line)).collect();
        modules.insert(module, code.join("\n"));
    }
    modules
}

/// What the paths in a module's code lead to, but for what it lies in and what lies in it. Who only hands something on
/// (`pub use`) does not need to know it.
fn imported_by(module: &Module, code: &str, modules: &BTreeMap<Module, String>) -> BTreeSet<Module> {
    let mut paths: Vec<String> = Vec::new();
    for statement in code.split_inclusive(';') {
        let written = statement.rsplit("\n\n").next().unwrap_or_default();
        let line = written.lines().find(|line| !line.trim().is_empty() && !line.trim().starts_with('#'));
        match line.and_then(|line| line.trim().split_once("use ")) {
            Some(("", _)) => {
                spell_out("", written.trim().trim_start_matches("use ").trim_end_matches(';'), &mut paths)
            }
            Some((visibility, _)) if visibility.starts_with("pub") && written.trim().ends_with(';') => {}
            _ => paths.push(statement.to_owned()),
        }
    }
    let starts = ["crate::", "super::", "self::"];
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let named = paths.iter().flat_map(|text| {
        let words = text.split(|c: char| !is_name(c));
        words.filter(|word| starts.iter().any(|start| word.starts_with(start)))
    });
    let meant = named.filter_map(|path| module_meant(module, path, modules));
    meant.filter(|found| !found.starts_with(module) && !module.starts_with(found)).collect()
}

/// `use a::{b, c::{d, e}}` as the paths it stands for.
fn spell_out(before: &str, tree: &str, paths: &mut Vec<String>) {
    let Some((path, inner)) = tree.split_once('{') else {
        return paths.push(format!("{before}{}", tree.trim()));
    };
    let before = format!("{before}{}", path.trim());
    let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
    let mut depth = 0;
    let parts = inner.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    for part in parts.filter(|part| !part.trim().is_empty()) {
        spell_out(&before, part, paths);
    }
}

/// The module that a path written in another one leads to, as far as it names modules.
fn module_meant(from: &Module, path: &str, modules: &BTreeMap<Module, String>) -> Option<Module> {
    let mut at: Module = from.clone();
    for part in path.split("::") {
        match part {
            "crate" => at.clear(),
            "self" => {}
            "super" => {
                at.pop();
            }
            name => {
                at.push(name.to_owned());
                if !modules.contains_key(&at) {
                    at.pop();
                    break;
                }
            }
        }
    }
    modules.contains_key(&at).then_some(at)
}

#[test]
fn imports_are_spelt_out() {
    let mut paths = Vec::new();
    spell_out("", "crate::a::{self, b, c::{d, e as f}, g}", &mut paths);
    assert_eq!(
        paths,
        ["crate::a::self", "crate::a::b", "crate::a::c::d", "crate::a::c::e as f", "crate::a::g"]
    );
}

#[test]
fn circles_of_any_length_are_found_and_each_once() {
    let arrows = ["a b", "b c", "c a", "c d", "d", "e f", "f e"];
    let mut imports = Imports::new();
    for arrow in arrows {
        let mut ends = arrow.split(' ').map(|name| vec![name.to_owned()]);
        imports.entry(ends.next().unwrap()).or_default().extend(ends);
    }
    assert_eq!(circles_in(&imports), [vec!["a -> b", "b -> c", "c -> a"], vec!["e -> f", "f -> e"]]);
}
