import { launch } from './launcher/launch.js';
import { apps } from './launcher/apps.js';
import { welcome } from './launcher/welcome.js';

launch(apps(process.env, process.cwd()), (urls) => {
  console.log(welcome(urls));
});
