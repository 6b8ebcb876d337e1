//! Prohibitions that stand alone, in eight languages beside English: none is work, in no phase; an order beside one stays one.
#![allow(clippy::unwrap_used)]

use pilothouse_intent::{Classifier, IntentNode, Message, Phase, Turn, scope::Capability};

/// Written without running the classifier.
const ALONE: &[&str] = &[
    "eliminare file è vietato",
    "cambiar los tests está prohibido",
    "cambiar los tests está estrictamente prohibido",
    "modifier les tests est interdit",
    "modificare i test è vietato",
    "alterar os testes é proibido",
    "editar src/main.c está prohibido",
    "tests ändern ist verboten",
    "менять тесты нельзя",
    "удаление тестов запрещено",
    "исправление тестов не нужно",
    "редактирование README не разрешается",
    "Löschung der Tests ist nicht erlaubt",
    "modificación de los tests no está permitido",
    "alteração dos testes não é permitido",
    "eliminazione dei file non si deve fare",
    "修改测试是禁止的",
    "テストは変更してはいけません",
    "テストを変更しないで",
    "テストを変えないでください",
    "テストには触らないで",
    "設定ファイルは編集しないでください",
    "コードを書き換えないで",
    "何も変更しないで",
    "ファイルを削除しないでください",
    "テストに手を加えるな",
    "APIは変えなくていい",
    "テストを変更することは禁止です",
    "既存のコードは修正しないこと",
    "テストは絶対に変更するな",
    "auth.pyは触らないで",
    "まだ何も実行しないでください",
    "テストはそのままにしておいて",
    "테스트는 수정하지 마",
    "테스트를 변경하지 마세요",
    "테스트를 건드리지 마",
    "아무것도 바꾸지 마세요",
    "파일을 삭제하지 마세요",
    "설정은 수정하면 안 됩니다",
    "코드를 수정하지 말아 주세요",
    "auth.py는 건드리지 마",
    "테스트 변경 금지",
    "아직 아무것도 실행하지 마",
    "기존 코드는 그대로 둬",
    "테스트를 절대 수정하지 말 것",
    "不要修改测试",
    "别改测试",
    "请不要动测试文件",
    "不准修改配置",
    "不要删除任何文件",
    "禁止修改测试",
    "别碰 auth.py",
    "测试不能改",
    "什么都不要改",
    "测试文件保持不变",
    "不许动数据库",
    "先不要执行任何命令",
    "Не меняй тесты",
    "Не трогай тесты",
    "Пожалуйста, не изменяйте тесты",
    "Тесты менять нельзя",
    "Ничего не меняй",
    "Не удаляй файлы",
    "Нельзя изменять конфигурацию",
    "Не редактируй auth.py",
    "Запрещено менять тесты",
    "Не надо ничего менять",
    "Тесты оставь как есть",
    "Пока ничего не запускай",
    "No cambies los tests",
    "No toques las pruebas",
    "Por favor, no modifiques los tests",
    "No se deben modificar los tests",
    "No cambies nada",
    "No borres ningún archivo",
    "Está prohibido modificar los tests",
    "No edites auth.py",
    "Los tests no se tocan",
    "No hay que cambiar los tests",
    "Deja los tests como están",
    "No debes cambiar las pruebas",
    "Ne modifie pas les tests",
    "Ne touche pas aux tests",
    "S'il te plaît, ne change pas les tests",
    "Il ne faut pas modifier les tests",
    "Ne change rien",
    "Ne supprime aucun fichier",
    "Il est interdit de modifier les tests",
    "Ne modifiez pas auth.py",
    "Pas touche aux tests",
    "Les tests ne doivent pas être modifiés",
    "Laisse les tests tels quels",
    "touche pas aux tests",
    "Ändere die Tests nicht",
    "Fass die Tests nicht an",
    "Bitte die Tests nicht ändern",
    "Die Tests dürfen nicht geändert werden",
    "Ändere nichts",
    "Lösche keine Dateien",
    "Es ist verboten, die Tests zu ändern",
    "auth.py nicht anfassen",
    "Die Tests bleiben, wie sie sind",
    "Du darfst die Tests nicht ändern",
    "Lass die Tests so wie sie sind",
    "Keine Änderungen an den Tests",
    "Não mude os testes",
    "Não mexa nos testes",
    "Por favor, não altere os testes",
    "Os testes não devem ser alterados",
    "Não mude nada",
    "Não apague nenhum arquivo",
    "É proibido alterar os testes",
    "Não edite auth.py",
    "Não é para mexer nos testes",
    "Você não deve modificar os testes",
    "Deixe os testes como estão",
    "não toque nos testes",
];

#[test]
fn a_prohibition_alone_is_no_work() {
    let classifier = Classifier::builtin();
    for text in ALONE {
        for phase in Phase::ALL {
            let plan_active = phase != Phase::Idle;
            let whole = classifier.read(&Message { text, phase, plan_active, ..Message::default() }).whole;
            let (scope, leaf) = (whole.scope(), whole.path.current());
            let acts = [Capability::Write, Capability::Delete, Capability::Execute].map(|c| scope.allows(c));
            // Beside a plan it may narrow that.
            assert!(acts == [false; 3] || phase != Phase::Idle, "{text} {phase:?} {leaf:?}");
            assert!(
                matches!(whole.turn, Turn::PlanContinue) || acts == [false; 3],
                "{text} {phase:?} {leaf:?}"
            );
        }
    }
}

#[test]
fn what_only_tells_that_something_is_to_stay_narrows_a_plan_and_is_sure() {
    let classifier = Classifier::builtin();
    for text in [
        "テストは変更してはいけません",
        "설정은 수정하면 안 됩니다",
        "No hay que cambiar los tests",
        "Il est interdit de modifier les tests",
        "Es ist verboten, die Tests zu ändern",
        "тесты менять нельзя",
        "Deixe os testes como estão",
        "Laisse les tests tels quels",
    ] {
        let read = |phase: Phase| {
            let message = Message { text, phase, plan_active: phase != Phase::Idle, ..Message::default() };
            let reading = classifier.read(&message);
            (reading.whole.path.current(), reading.whole.turn.clone(), classifier.unsure(&reading))
        };
        assert_eq!(read(Phase::Idle), (IntentNode::Explain, Turn::Query(None), false), "{text}");
        assert_eq!(read(Phase::Executing).1, Turn::PlanContinue, "{text}");
        assert_eq!(read(Phase::AwaitingApproval).1, Turn::PlanContinue, "{text}");
    }
}

#[test]
fn an_order_beside_it_stays_one() {
    let classifier = Classifier::builtin();
    for text in [
        "Añade un flag; no hay que cambiar los tests",
        "Ajoute une option --json, il ne faut pas modifier les tests",
        "добавь флаг --json, тесты менять нельзя",
        "添加一个参数。禁止修改测试",
        "Adicione uma opção, não deve mudar os testes",
        "haz que los usuarios no deban poder borrar archivos",
        "сделай так, чтобы нельзя было удалять файлы",
        "cambia los tests, está prohibido usar sleep",
        "cambia el mensaje de acceso prohibido",
        "edita la sección de uso prohibido",
        "modifie la page d'accès interdit",
        "altere a mensagem de acesso proibido",
        "把禁止访问的提示改成中文",
        "이 파일은 필요 없으니 삭제해 주세요",
        "このテストはもうなくていいので削除してください",
        "это больше не нужно, удали",
        "por favor cambia el mensaje de acceso prohibido",
        "hay que cambiar el mensaje de acceso prohibido",
        "il faut modifier la page d'accès interdit",
        "por favor altere a mensagem de acesso proibido",
        "измени текст ошибки нельзя войти",
        "удали всё что не нужно",
        "请修改禁止访问的提示",
        "修改禁止访问提示",
        "删除不得使用的函数",
        "禁止リストに追加して",
    ] {
        let whole = classifier.read(&Message { text, ..Message::default() }).whole;
        assert!(whole.scope().allows(Capability::Write), "{text}: {}", whole.reasoning);
    }
}
